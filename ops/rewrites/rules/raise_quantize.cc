#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/movement.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// Whether a value is the result of a DequantizeLinear, possibly moved by operators whose results have no other reader.
bool moves_bytes(const Graph& graph, ValueId value) {
  const Node* from = graph.producer(value);
  if (!from) return false;
  if (is_op(*from, "DequantizeLinear")) return byte_grid(graph, *from).has_value();
  const std::vector<size_t> moved = moved_inputs(*from);
  const auto moves = [&](size_t input) { return moves_bytes(graph, from->inputs[input]); };
  return !moved.empty() && from->outputs.size() == 1 && graph.only_consumer(value) && std::ranges::all_of(moved, moves);
}

}  // namespace

// QuantizeLinear(op(DequantizeLinear(x)...)) -> op(QuantizeLinear(DequantizeLinear(x))...) for operators that move
// elements. They then move bytes, and the pair cancels if the scales are equal.
LINNET_DEFINE_REWRITE(raise_quantize, "QuantizeLinear")(const Graph& graph, const Node& node) {
  if (!byte_grid(graph, node)) return std::nullopt;
  const Node* moves = graph.producer(node.inputs[0]);
  if (!moves || is_op(*moves, "DequantizeLinear") || !moves_bytes(graph, node.inputs[0])) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = moves->inputs;
  for (const size_t i : moved_inputs(*moves)) {
    std::vector<ValueId> quantized = node.inputs;
    quantized[0] = inputs[i];
    inputs[i] = patch.add(node.spec, quantized);
  }
  patch.replace(node.outputs[0], patch.add(moves->spec, inputs));
  return patch;
}

}  // namespace linnet
