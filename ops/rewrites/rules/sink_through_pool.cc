#include "resize/resize_axis.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

bool one_output(const Node& node) { return node.outputs.size() == 1 || node.outputs[1] == kNoValue; }

bool has_channels_last_form(const Node& node) {
  return is_op(node, "AveragePool") || is_op(node, "GlobalAveragePool") || is_op(node, "GlobalMaxPool") ||
         (is_op(node, "MaxPool") && one_output(node)) || is_op(node, "Resize");
}

/// Whether a Resize produces a graph output that no node reads. The output is usually larger than the input, so that
/// transposing the input is cheaper.
bool ends_graph(const Graph& graph, const Node& node) {
  return is_op(node, "Resize") && graph.is_output(node.outputs[0]) && graph.consumers(node.outputs[0]).empty();
}

}  // namespace

// Pooling and Resize. Their internal operators work channels-last; other inputs do not change.
std::optional<Patch> sink_through_pool(const Graph& graph, const Node& node) {
  if (!has_channels_last_form(node) || ends_graph(graph, node)) return std::nullopt;
  const ValueId source = channels_last_source(graph, node, 0);
  if (source == kNoValue || !graph.fact(node.outputs[0]).has_rank()) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = source;
  if (!is_op(node, "Resize")) {
    return on_channels_last(graph, node, internal_spec(node, node.spec.op_type), inputs, Patch(graph));
  }
  if (node.spec.opset < 11) inputs.insert(inputs.begin() + 1, kNoValue);
  return on_channels_last(graph, node, internal_resize(node.spec), inputs, Patch(graph));
}

}  // namespace linnet
