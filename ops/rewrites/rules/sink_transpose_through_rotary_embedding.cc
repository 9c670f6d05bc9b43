#include "rewrites/define_rewrite.h"
#include "rewrites/matching/heads.h"
#include "rewrites/matching/match.h"

namespace linnet {

// linnet::RotaryEmbedding of a Transpose to [batch, heads, length, size] -> Transpose of linnet::RotaryEmbedding of
// [batch, length, heads, size]. A subsequent Attention does not need the Transpose.
LINNET_DEFINE_REWRITE(sink_transpose_through_rotary_embedding, internal_op("RotaryEmbedding"))
(const Graph& graph, const Node& node) {
  if (node.spec.has(kHeadsSideBySide)) return std::nullopt;
  const ValueId source = source_of_heads(graph, node, 0);
  if (source == kNoValue || graph.is_output(node.outputs[0])) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = node.spec;
  spec.attributes[kHeadsSideBySide] = int64_t{1};
  const ValueId y = patch.add(spec, {source, node.inputs[1], node.inputs[2]});
  patch.replace(node.outputs[0], add_heads_in_front(patch, node, y));
  return patch;
}

}  // namespace linnet
