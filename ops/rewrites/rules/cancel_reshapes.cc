#include <algorithm>
#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// Whether constants can specify this shape in a Reshape: at most one dim is unknown, and none is 0.
bool is_shape_of_numbers(const Fact& x) {
  return x.has_rank() && std::ranges::count_if(*x.dims, [](const Dim& dim) { return !dim.known(); }) <= 1 &&
         std::ranges::none_of(*x.dims, [](const Dim& dim) { return certainly_equal(dim, 0); });
}

/// The inner Reshape of Reshape(Transpose(Reshape(x))) if it merges the axes that count matrices, and the outer Reshape
/// splits them again; else nullptr.
const Node* merge_before_transpose(const Graph& graph, const Node& node) {
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const Node* merge = transpose ? producer(graph, *transpose, 0, "Reshape") : nullptr;
  if (!merge || transpose->spec.attr_or("perm", std::vector<int64_t>{}) != std::vector<int64_t>{0, 2, 1})
    return nullptr;
  const Fact &merged = graph.fact(merge->outputs[0]), &y = graph.fact(node.outputs[0]);
  if (!merged.has_rank() || merged.rank() != 3 || !is_shape_of_numbers(y) || y.rank() <= 3) return nullptr;
  const bool matrices =
      certainly_equal(merged.dim(1), y.dim(y.rank() - 1)) && certainly_equal(merged.dim(2), y.dim(y.rank() - 2));
  return matrices ? merge : nullptr;
}

}  // namespace

// Two consecutive Reshapes (or Flatten, Squeeze, Unsqueeze) -> one, or none if they cancel.
// Reshape(Transpose(Reshape(x))) -> Transpose(Reshape(x)), if the Transpose swaps the axes of matrices, and the inner
// Reshape merges the axes that count them.
LINNET_DEFINE_REWRITE(cancel_reshapes, "Reshape", "Flatten", "Squeeze", "Unsqueeze")
(const Graph& graph, const Node& node) {
  if (graph.is_output(node.outputs[0])) return std::nullopt;
  const Fact& y = graph.fact(node.outputs[0]);
  Patch patch(graph);
  if (const Node* before = graph.producer(node.inputs[0]); is_reshape(before)) {
    const ValueId x = before->inputs[0];
    const bool undone = same_dims(graph.fact(x), y);
    if (!undone && !is_shape_of_numbers(y)) return std::nullopt;
    patch.replace(node.outputs[0], undone ? x : add_reshape(patch, node, x, *y.dims));
    return patch;
  }
  const Node* merge = merge_before_transpose(graph, node);
  if (!merge) return std::nullopt;
  Dims dims = *y.dims;
  std::iter_swap(dims.end() - 2, dims.end() - 1);
  patch.replace(node.outputs[0],
                add_matrix_transpose(patch, node, add_reshape(patch, node, merge->inputs[0], dims), y.rank()));
  return patch;
}

}  // namespace linnet
