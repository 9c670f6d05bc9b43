#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The DequantizeLinear of a constant table that a Gather reads; nullptr if it has more than one scale, or if the
/// Gather is known to read more rows than the table has.
const Node* dequantized_table(const Graph& graph, const Node& gather) {
  const Node* dequantize = producer(graph, gather, 0, "DequantizeLinear");
  const Tensor* table = dequantize ? graph.constant_input(*dequantize, 0) : nullptr;
  const Tensor* scale = dequantize ? graph.constant_input(*dequantize, 1) : nullptr;
  if (!table || !scale || scale->size() != 1 || graph.is_output(dequantize->outputs[0])) return nullptr;
  const Fact& indices = graph.input_fact(gather, 1);
  const int64_t axis = normalize_axis(gather.spec.attr_or("axis", 0), table->rank());
  const bool repeats = indices.concrete() && indices.shape().elements() > table->shape()[int(axis)];
  return repeats ? nullptr : dequantize;
}

}  // namespace

// Gather(DequantizeLinear(table), i) -> DequantizeLinear(Gather(table, i)) for a constant table with one scale. An
// embedding table stays quantised in memory, and only the rows that are read are converted to floats.
LINNET_DEFINE_REWRITE(dequantize_gathered_rows, "Gather")(const Graph& graph, const Node& node) {
  const Node* dequantize = dequantized_table(graph, node);
  if (!dequantize) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = dequantize->inputs;
  inputs[0] = patch.add(node.spec, {inputs[0], node.inputs[1]});
  patch.replace(node.outputs[0], patch.add(dequantize->spec, inputs));
  return patch;
}

}  // namespace linnet
