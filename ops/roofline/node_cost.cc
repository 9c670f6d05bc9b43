#include "roofline/node_cost.h"

#include <algorithm>

namespace linnet {
namespace {

bool has_body(const NodeSpec& node) {
  return std::any_of(node.attributes.begin(), node.attributes.end(),
                     [](const auto& a) { return std::holds_alternative<std::shared_ptr<const Graph>>(a.second); });
}

DType multiplied_type(DType operand) {
  switch (operand) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
      return DType::kFloat32;
    case DType::kFloat64:
      return DType::kFloat64;
    case DType::kInt8:
    case DType::kUint8:
      return DType::kInt16;
    default:
      return DType::kUndefined;
  }
}

}  // namespace

NodeCost node_cost(const NodeSpec& node, const Op& op, const NodeValues& values) {
  if (has_body(node)) return {};
  NodeCost cost;
  cost.multiply_adds = op.multiply_adds(values);
  if (cost.multiply_adds > 0) cost.multiplied = multiplied_type(values.in(0).dtype());
  cost.bytes = op.bytes_moved(values);
  return cost;
}

}  // namespace linnet
