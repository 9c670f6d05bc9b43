#include "tensor/same_fact.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr int64_t kComparedElements = 64;

bool same_dim(const Dim& a, const Dim& b) { return certainly_equal(a, b) || (!a.determined() && !b.determined()); }

bool same_dims(const std::optional<Dims>& a, const std::optional<Dims>& b) {
  return a.has_value() == b.has_value() && (!a || std::equal(a->begin(), a->end(), b->begin(), b->end(), same_dim));
}

bool same_contents(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.address() == b.address()) return a.dtype() == b.dtype() && a.shape() == b.shape();
  return a.size() <= kComparedElements && identical(a, b);
}

bool same_element(const std::shared_ptr<const Fact>& a, const std::shared_ptr<const Fact>& b) {
  return a == b || (a && b && same_fact(*a, *b));
}

}  // namespace

bool same_fact(const Fact& a, const Fact& b) {
  return a.dtype == b.dtype && a.key == b.key && same_dims(a.dims, b.dims) && same_contents(a.constant, b.constant) &&
         same_element(a.element, b.element);
}

}  // namespace linnet
