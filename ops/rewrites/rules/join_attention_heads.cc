#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/heads.h"
#include "rewrites/matching/reshape_nodes.h"
#include "rewrites/matching/written_attention.h"

namespace linnet {

// Attention of Transposes to [batch, heads, length, size] -> Attention of [batch, length, heads * size], and a
// Transpose of its result, which cancels the one after it.
LINNET_DEFINE_REWRITE(join_attention_heads, "Attention", internal_op("Attention"))
(const Graph& graph, const Node& node) {
  Patch patch(graph);
  std::vector<ValueId> inputs = node.inputs;
  for (int i = 0; i < 3; ++i) {
    const ValueId source = source_of_heads(graph, node, i);
    if (source == kNoValue) return std::nullopt;
    const Fact& x = graph.fact(source);
    const std::vector<int64_t> joined{0, 0, checked_mul(x.dim(2).value(), x.dim(3).value())};
    inputs[size_t(i)] = add_reshape(patch, node, source, joined);
  }
  const int64_t heads = graph.input_fact(node, 0).dim(1).value(), size = graph.input_fact(node, 2).dim(3).value();
  NodeSpec spec = node.spec;
  spec.attributes["q_num_heads"] = heads;
  spec.attributes["kv_num_heads"] = graph.input_fact(node, 1).dim(1).value();
  std::vector<ValueId> outputs = patch.add_for(node, spec, inputs);
  const ValueId y = add_reshape(patch, node, outputs[0], std::vector<int64_t>{0, 0, heads, size});
  outputs[0] = add_heads_in_front(patch, node, y);
  patch.replace(node, outputs);
  return patch;
}

}  // namespace linnet
