#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {

// Concat, if at least half of its inputs are channels-last values with a Transpose. At rank 3 all must be, because a
// Transpose to channels-last is also one to channels-first there, and would sink as well.
std::optional<Patch> sink_through_concat(const Graph& graph, const Node& node) {
  if (!is_op(node, "Concat") || !graph.fact(node.outputs[0]).has_rank()) return std::nullopt;
  const int rank = graph.fact(node.outputs[0]).rank();
  if (rank < 3) return std::nullopt;
  const size_t count = node.inputs.size(), found = count_channels_last(graph, node);
  if (found < (rank == 3 ? count : count - count / 2)) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs;
  for (int i = 0; i < int(node.inputs.size()); ++i) {
    const ValueId source = channels_last_source(graph, node, i);
    inputs.push_back(source != kNoValue ? source : add_to_channels_last(patch, node, node.inputs[size_t(i)], rank));
  }
  NodeSpec spec = node.spec;
  const int axis = normalize_axis(spec.attr_or("axis", 1), rank);
  spec.attributes["axis"] = int64_t{channels_last_axis(axis, rank)};
  return on_channels_last(graph, node, spec, inputs, std::move(patch));
}

}  // namespace linnet
