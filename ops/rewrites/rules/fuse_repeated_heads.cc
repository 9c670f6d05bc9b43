#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/written_attention.h"

namespace linnet {
namespace {

bool same_but_heads(const Fact& a, const Fact& b) {
  if (!a.has_rank() || a.rank() != 4 || !b.has_rank() || b.rank() != 4) return false;
  return certainly_equal(a.dim(0), b.dim(0)) && certainly_equal(a.dim(2), b.dim(2)) &&
         certainly_equal(a.dim(3), b.dim(3));
}

/// The value [batch, heads, length, size] whose heads an input repeats, each several times in a row; else kNoValue.
ValueId source_of_repeated(const Graph& graph, const Node& node, int input) {
  const Node* merge = producer(graph, node, input, "Reshape");
  const Node* expand = merge ? producer(graph, *merge, 0, "Expand") : nullptr;
  const Node* split = expand ? producer(graph, *expand, 0, "Unsqueeze") : nullptr;
  if (expand && !split) split = producer(graph, *expand, 0, "Reshape");
  if (!split) return kNoValue;
  const Fact &x = graph.input_fact(*split, 0), &repeated = graph.fact(expand->outputs[0]);
  const Fact& single = graph.fact(split->outputs[0]);
  if (!same_but_heads(x, graph.fact(merge->outputs[0])) || !single.has_rank()) return kNoValue;
  if (!repeated.has_rank() || repeated.rank() != 5) return kNoValue;
  const auto heads_of = [&](const Dim& times) { return Dims{x.dim(0), x.dim(1), times, x.dim(2), x.dim(3)}; };
  const bool matches =
      certainly_equal(*repeated.dims, heads_of(repeated.dim(2))) && certainly_equal(*single.dims, heads_of(1));
  return matches ? split->inputs[0] : kNoValue;
}

}  // namespace

// Attention whose keys and values repeat their heads (Unsqueeze, Expand, Reshape) -> Attention with fewer heads of keys
// and values, each shared by consecutive heads of queries.
LINNET_DEFINE_REWRITE(fuse_repeated_heads, "Attention", internal_op("Attention"))
(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1 || node.spec.has("kv_num_heads")) return std::nullopt;
  if (node.inputs.size() > 4) return std::nullopt;
  const ValueId k = source_of_repeated(graph, node, 1), v = source_of_repeated(graph, node, 2);
  if (k == kNoValue || v == kNoValue) return std::nullopt;
  if (!certainly_equal(graph.fact(k).dim(1), graph.fact(v).dim(1))) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[1] = k;
  inputs[2] = v;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(node.spec, inputs));
  return patch;
}

}  // namespace linnet
