#include "rewrites/layout.h"
#include "rewrites/match.h"
#include "rewrites/sink_transpose.h"

namespace linnet {
namespace {

bool one_output(const Node& node) { return node.outputs.size() == 1 || node.outputs[1] == kNoValue; }

bool is_pool(const Node& node) {
  return is_op(node, "AveragePool") || is_op(node, "GlobalAveragePool") || (is_op(node, "MaxPool") && one_output(node));
}

}  // namespace

// Pooling: the internal operators work channels-last.
std::optional<Patch> sink_through_pool(const Graph& graph, const Node& node) {
  if (!is_pool(node)) return std::nullopt;
  const ValueId source = channels_last_source(graph, node, 0);
  if (source == kNoValue || !graph.fact(node.outputs[0]).has_rank()) return std::nullopt;
  return on_channels_last(graph, node, internal_spec(node, node.spec.op_type), {source}, Patch(graph));
}

}  // namespace linnet
