#include "roofline/node_cost.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "roofline/multiply_adds.h"

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

int64_t tensor_bytes(const Tensor& x) { return !x || is_object(x.dtype()) ? 0 : int64_t(x.bytes()); }

/// The input of a scatter that replaces elements of input 0; -1: it is no such operator.
int updates_input(const std::string& op_type) {
  if (op_type == "ScatterElements" || op_type == "ScatterND") return 2;
  return op_type == "TensorScatter" ? 1 : -1;
}

/// Bytes of input 0, of which some operators read a part.
int64_t first_input_bytes(const NodeValues& v) {
  static constexpr std::string_view kSelect[]{"Compress", "Gather", "GatherElements", "GatherND", "Slice"};
  if (v.node.op_type == "Shape" || v.node.op_type == "Size") return 0;
  const int64_t all = tensor_bytes(v.in(0));
  const bool selects = std::find(std::begin(kSelect), std::end(kSelect), v.node.op_type) != std::end(kSelect);
  return selects ? std::min(all, tensor_bytes(v.out(0))) : all;
}

int64_t moved_bytes(const NodeValues& v) {
  std::set<const Tensor*> counted;  // a value that two inputs read
  int64_t bytes = 0;
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (counted.insert(v.inputs[i]).second) bytes += i == 0 ? first_input_bytes(v) : tensor_bytes(v.in(int(i)));
  }
  const int updates = updates_input(v.node.op_type);
  if (updates >= 0 && v.in(0).raw() == v.out(0).raw()) {
    return bytes - tensor_bytes(v.in(0)) + tensor_bytes(v.in(updates));
  }
  for (const Tensor* output : v.outputs) bytes += tensor_bytes(*output);
  return bytes;
}

}  // namespace

NodeCost node_cost(const NodeSpec& node, std::span<const Tensor* const> in, std::span<const Tensor* const> out) {
  if (has_body(node)) return {};
  const NodeValues values{node, in, out};
  NodeCost cost;
  cost.multiply_adds = multiply_adds(values);
  if (cost.multiply_adds > 0) cost.multiplied = multiplied_type(in[0]->dtype());
  cost.bytes = moved_bytes(values);
  return cost;
}

}  // namespace linnet
