#include <algorithm>

#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

constexpr float kShift = 128;

/// The node with another zero point, in uint8.
ValueId add_unsigned(Patch& patch, const Node& node, ValueId input, const ByteGrid& grid) {
  NodeSpec spec = node.spec;
  spec.attributes.erase("output_dtype");
  std::vector<ValueId> inputs{input, node.inputs[1]};
  inputs.push_back(patch.constant(spec.name + ".zero_point", Tensor::scalar(uint8_t(grid.zero_point + kShift))));
  return patch.add(spec, inputs);
}

}  // namespace

// DequantizeLinear(QuantizeLinear(x)) of int8 -> the same of uint8, the zero points greater by 128: products multiply
// unsigned by signed bytes. All that reads the bytes is a DequantizeLinear with one scale and zero point.
std::optional<Patch> quantize_unsigned(const Graph& graph, const Node& node) {
  const auto quantized = is_op(node, "QuantizeLinear") ? byte_grid(graph, node) : std::nullopt;
  if (!quantized || quantized->dtype != DType::kInt8 || graph.is_output(node.outputs[0])) return std::nullopt;
  const std::vector<NodeId>& readers = graph.consumers(node.outputs[0]);
  const auto dequantizes = [&](NodeId id) {
    const Node& reader = graph.node(id);
    return is_op(reader, "DequantizeLinear") && byte_grid(graph, reader) && !reader.spec.has("output_dtype");
  };
  if (!std::ranges::all_of(readers, dequantizes)) return std::nullopt;
  Patch patch(graph);
  const ValueId bytes = add_unsigned(patch, node, node.inputs[0], *quantized);
  for (const NodeId id : readers) {
    const Node& reader = graph.node(id);
    patch.replace(reader.outputs[0], add_unsigned(patch, reader, bytes, *byte_grid(graph, reader)));
  }
  return patch;
}

}  // namespace linnet
