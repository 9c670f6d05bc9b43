#include "rewrites/matching/heads.h"

#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

const std::vector<int64_t> kSwapHeadsAndLength{0, 2, 1, 3};

}  // namespace

ValueId source_of_heads(const Graph& graph, const Node& node, int input) {
  const Node* transpose = producer(graph, node, input, "Transpose");
  if (!transpose || transpose->spec.attr_or("perm", std::vector<int64_t>{}) != kSwapHeadsAndLength) return kNoValue;
  const Fact& x = graph.input_fact(*transpose, 0);
  return x.has_rank() && x.dim(2).known() && x.dim(3).known() ? transpose->inputs[0] : kNoValue;
}

ValueId add_heads_in_front(Patch& patch, const Node& for_node, ValueId side_by_side) {
  return add_transpose(patch, for_node, side_by_side, kSwapHeadsAndLength);
}

}  // namespace linnet
