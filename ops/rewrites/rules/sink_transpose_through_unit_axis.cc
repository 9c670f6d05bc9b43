#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// Whether b is a with an additional first axis of size 1.
bool adds_unit_axis(const Fact& a, const Fact& b) {
  if (!a.dims || !b.dims || b.rank() != a.rank() + 1 || !certainly_equal(b.dim(0), 1)) return false;
  return certainly_equal(Dims(b.dims->begin() + 1, b.dims->end()), *a.dims);
}

/// The permutation `perm` with an additional first axis that stays first.
std::vector<int64_t> behind_unit_axis(const std::vector<int64_t>& perm) {
  std::vector<int64_t> result{0};
  for (const int64_t axis : perm) result.push_back(axis + 1);
  return result;
}

}  // namespace

// Unsqueeze(Transpose(x), 0) -> Transpose(Unsqueeze(x, 0)), and Squeeze(Transpose(x), 0) -> Transpose(Squeeze(x, 0)) if
// axis 0 stays first. Transposes of matrices of heads, [heads, length, size], then reach those of Attention.
LINNET_DEFINE_REWRITE(sink_transpose_through_unit_axis, "Reshape", "Flatten", "Squeeze", "Unsqueeze")
(const Graph& graph, const Node& node) {
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const auto* perm = transpose ? transpose->spec.find<std::vector<int64_t>>("perm") : nullptr;
  if (!perm || graph.is_output(node.outputs[0])) return std::nullopt;
  const Fact &from = graph.fact(transpose->outputs[0]), &to = graph.fact(node.outputs[0]);
  const NodeSpec reshape =
      standard_spec(node, to.has_rank() && from.has_rank() && to.rank() > from.rank() ? "Unsqueeze" : "Squeeze", 13);
  Patch patch(graph);
  const ValueId axis = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>({0}));
  if (adds_unit_axis(from, to)) {
    const ValueId x = patch.add(reshape, {transpose->inputs[0], axis});
    patch.replace(node.outputs[0], add_transpose(patch, node, x, behind_unit_axis(*perm)));
    return patch;
  }
  if (!adds_unit_axis(to, from) || (*perm)[0] != 0) return std::nullopt;
  std::vector<int64_t> rest;
  for (size_t i = 1; i < perm->size(); ++i) rest.push_back((*perm)[i] - 1);
  patch.replace(node.outputs[0], add_transpose(patch, node, patch.add(reshape, {transpose->inputs[0], axis}), rest));
  return patch;
}

}  // namespace linnet
