#include "rewrites/layout.h"
#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {

// Conv(x) -> to_channels_first(linnet::Conv(to_channels_last(x))): float32, one to three spatial axes.
std::optional<Patch> convert_conv_to_channels_last(const Graph& graph, const Node& node) {
  if (!is_op(node, "Conv")) return std::nullopt;
  const Fact& x = graph.input_fact(node, 0);
  if (x.dtype != DType::kFloat32 || !x.has_rank() || x.rank() < 3 || x.rank() > 5) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = add_to_channels_last(patch, node, inputs[0], x.rank());
  return on_channels_last(graph, node, internal_spec(node, "Conv"), inputs, std::move(patch));
}

}  // namespace linnet
