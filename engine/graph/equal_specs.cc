#include "graph/equal_specs.h"

#include <algorithm>
#include <span>

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

template <class T>
void add_number(Checksummer& sum, T value) {
  sum.add(std::as_bytes(std::span(&value, 1)));
}

void add(Checksummer& sum, int64_t value) { add_number(sum, value); }
// 0 equals -0.
void add(Checksummer& sum, float value) { add_number(sum, value == 0 ? 0.0f : value); }
void add(Checksummer& sum, const std::string& value) { sum.add(std::string_view(value)); }
void add(Checksummer& sum, const std::shared_ptr<const Graph>& body) { add_number(sum, body.get()); }
void add(Checksummer& sum, const Fact& fact) { add(sum, str(fact)); }
void add(Checksummer& sum, const Tensor& value) {
  add(sum, describe(value));
  if (!is_object(value.dtype()))
    sum.add(std::as_bytes(std::span(static_cast<const char*>(value.raw()), value.bytes())));
}
template <class T>
void add(Checksummer& sum, const std::vector<T>& values) {
  for (const T& value : values) add(sum, value);
}

}  // namespace

Checksum checksum_of(const NodeSpec& spec, std::span<const std::byte> secret) {
  Checksummer sum(secret);
  add(sum, spec.opset);
  for (const auto& [name, attribute] : spec.attributes) {
    add(sum, name);
    std::visit([&](const auto& value) { add(sum, value); }, attribute);
  }
  return sum.result();
}

bool equal_specs(const NodeSpec& a, const NodeSpec& b) {
  return a.opset == b.opset && a.captures == b.captures &&
         std::equal(
             a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(),
             [](const auto& x, const auto& y) { return x.first == y.first && equal_attributes(x.second, y.second); });
}

}  // namespace linnet
