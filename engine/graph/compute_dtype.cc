#include <algorithm>

#include "graph/graph.h"

namespace linnet {
namespace {

/// Whether a dtype is a float of at least 16 bits but fewer than those of `wide`.
bool is_narrower(DType dtype, DType wide) {
  return (wide != DType::kUndefined && is_half(dtype)) || (wide == DType::kFloat64 && dtype == DType::kFloat32);
}

bool any_container(std::span<const Fact> facts) {
  return std::any_of(facts.begin(), facts.end(), [](const Fact& f) { return is_container(f.dtype); });
}

bool has_body(const NodeSpec& spec) {
  return std::any_of(spec.attributes.begin(), spec.attributes.end(), [](const auto& named) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(named.second);
  });
}

}  // namespace

Precision Op::computes_in(std::span<const Fact> in) const {
  for (int i = 0; i < int(in.size()); ++i) {
    if (moves(i)) return Precision::kAny;
  }
  return Precision::kFloat32;
}

DType compute_dtype(const Node& node, std::span<const Fact> in, std::span<const Fact> out) {
  const bool narrow =
      std::any_of(in.begin(), in.end(), [](const Fact& f) { return is_narrower(f.dtype, DType::kFloat64); });
  if (!narrow || any_container(in) || any_container(out) || has_body(node.spec)) return DType::kUndefined;
  const Precision precision = node.op->computes_in(in);
  const DType dtype = precision == Precision::kFloat32   ? DType::kFloat32
                      : precision == Precision::kFloat64 ? DType::kFloat64
                                                         : DType::kUndefined;
  const bool any = std::any_of(in.begin(), in.end(), [&](const Fact& f) { return is_narrower(f.dtype, dtype); });
  return any ? dtype : DType::kUndefined;
}

}  // namespace linnet
