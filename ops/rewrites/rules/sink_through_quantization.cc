#include "infer/infer.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

bool is_one(const Fact& fact) { return fact.concrete() && fact.shape().elements() == 1; }
bool is_vector(const Fact& fact) { return fact.has_rank() && fact.rank() == 1; }

/// DynamicQuantizeLinear. Its scale and zero point have no layout.
std::optional<Patch> sink_through_dynamic(const Graph& graph, const Node& node) {
  const ValueId source = channels_last_source(graph, node, 0);
  const Fact& x = graph.input_fact(node, 0);
  if (source == kNoValue || !x.has_rank() || node.outputs[0] == kNoValue) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> outputs = patch.add_for(node, node.spec, {source});
  outputs[0] = add_to_channels_first(patch, node, outputs[0], x.rank());
  patch.replace(node, outputs);
  return patch;
}

}  // namespace

// QuantizeLinear and DequantizeLinear, whose scales follow their axis. Scales of blocks are excluded, because they
// would have to be transposed, too. DynamicQuantizeLinear likewise.
std::optional<Patch> sink_through_quantization(const Graph& graph, const Node& node) {
  if (is_op(node, "DynamicQuantizeLinear")) return sink_through_dynamic(graph, node);
  if (!is_op(node, "QuantizeLinear") && !is_op(node, "DequantizeLinear")) return std::nullopt;
  const ValueId source = channels_last_source(graph, node, 0);
  const Fact &out = graph.fact(node.outputs[0]), &scale = graph.input_fact(node, 1);
  if (source == kNoValue || !out.has_rank() || node.spec.attr_or("block_size", 0) != 0) return std::nullopt;
  NodeSpec spec = node.spec;
  if (!is_one(scale)) {
    if (!is_vector(scale)) return std::nullopt;
    const int axis = normalize_axis(spec.attr_or("axis", 1), out.rank());
    spec.attributes["axis"] = int64_t{channels_last_axis(axis, out.rank())};
  }
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = source;
  return on_channels_last(graph, node, spec, inputs, Patch(graph));
}

}  // namespace linnet
