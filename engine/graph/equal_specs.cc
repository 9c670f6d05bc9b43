#include "graph/equal_specs.h"

#include <algorithm>

#include "linnet/error.h"

namespace linnet {
namespace {

bool equal(const Tensor& a, const Tensor& b) { return identical(a, b); }
template <class T>
bool equal(const T& a, const T& b) {
  return a == b;
}
bool equal(const Fact& a, const Fact& b) { return str(a) == str(b); }
bool equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), identical);
}

bool equal_attributes(const Attribute& a, const Attribute& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& left) { return equal(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
}

}  // namespace

bool equal_specs(const NodeSpec& a, const NodeSpec& b) {
  return a.opset == b.opset && a.captures == b.captures &&
         std::equal(
             a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(),
             [](const auto& x, const auto& y) { return x.first == y.first && equal_attributes(x.second, y.second); });
}

}  // namespace linnet
