#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {

// Conv(x) -> to_channels_first(linnet::Conv(to_channels_last(x))) in float32, with one to three spatial axes.
// DeformConv likewise, with its offset and mask.
LINNET_DEFINE_REWRITE(convert_conv_to_channels_last, "Conv", "DeformConv", RewriteRoot("deform_conv2d", "custom"))
(const Graph& graph, const Node& node) {
  const bool deforms = is_deform_conv(node);
  const Fact& x = graph.input_fact(node, 0);
  if (x.dtype != DType::kFloat32 || !x.has_rank() || x.rank() < 3 || x.rank() > 5) return std::nullopt;
  if (!graph.fact(node.outputs[0]).has_rank()) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = add_to_channels_last(patch, node, inputs[0], x.rank());
  for (const size_t field : {2, 4}) {
    if (!deforms || field >= inputs.size() || inputs[field] == kNoValue) continue;
    inputs[field] = add_to_channels_last(patch, node, inputs[field], x.rank());
  }
  return on_channels_last(graph, node, internal_spec(node, deforms ? "DeformConv" : "Conv"), inputs, std::move(patch));
}

}  // namespace linnet
