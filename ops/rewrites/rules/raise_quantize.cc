#include <algorithm>
#include <string_view>

#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

// Operators that only move the elements of their first input.
constexpr std::string_view kMovement[] = {"Reshape", "Transpose", "Flatten", "Squeeze",     "Unsqueeze",
                                          "Slice",   "Gather",    "Expand",  "DepthToSpace", "SpaceToDepth"};

size_t moved_inputs(const Node& node) {
  if (is_op(node, "Concat")) return node.inputs.size();
  return node.spec.domain.empty() && std::ranges::count(kMovement, node.spec.op_type) ? 1 : 0;
}

}  // namespace

// QuantizeLinear(op(DequantizeLinear(x)...)) -> op(QuantizeLinear(DequantizeLinear(x))...) for operators that move
// elements: they then move bytes, and the pair cancels where the scales are equal.
std::optional<Patch> raise_quantize(const Graph& graph, const Node& node) {
  if (!is_op(node, "QuantizeLinear") || !byte_grid(graph, node)) return std::nullopt;
  const Node* moves = graph.producer(node.inputs[0]);
  const size_t moved = moves ? moved_inputs(*moves) : 0;
  if (moved == 0 || graph.only_consumer(node.inputs[0]) != &node) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = moves->inputs;
  for (size_t i = 0; i < moved; ++i) {
    const Node* dequantize = producer(graph, *moves, int(i), "DequantizeLinear");
    if (!dequantize || !byte_grid(graph, *dequantize)) return std::nullopt;
    std::vector<ValueId> quantized = node.inputs;
    quantized[0] = inputs[i];
    inputs[i] = patch.add(node.spec, quantized);
  }
  patch.replace(node.outputs[0], patch.add(moves->spec, inputs));
  return patch;
}

}  // namespace linnet
