#include "tensor/same_fact.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr int64_t kComparedElements = 64;

bool same_dim(const Dim& a, const Dim& b) { return certainly_equal(a, b) || (!a.determined() && !b.determined()); }

/// Whether dims or elements are the same, where they are known.
template <class DimsPointer>
bool same_dims(const DimsPointer& a, const DimsPointer& b) {
  return bool(a) == bool(b) && (!a || std::equal(a->begin(), a->end(), b->begin(), b->end(), same_dim));
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
         same_dims(a.contents, b.contents) && same_element(a.element, b.element);
}

}  // namespace linnet
