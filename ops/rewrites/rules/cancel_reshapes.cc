#include <algorithm>
#include <optional>

#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

bool has_elements(const Fact& x) {
  return x.concrete() && std::ranges::none_of(*x.dims, [](const Dim& dim) { return dim == Dim(0); });
}

/// Dims with the last two swapped.
Dims transposed(Dims dims) {
  std::iter_swap(dims.end() - 2, dims.end() - 1);
  return dims;
}

/// The x in Reshape(Transpose(Reshape(x))) when the matrices of x, counted by one axis meanwhile, are transposed.
ValueId source_of_matrices(const Graph& graph, const Node& node) {
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const Node* merge = transpose ? producer(graph, *transpose, 0, "Reshape") : nullptr;
  if (!merge || transpose->spec.attr_or("perm", std::vector<int64_t>{}) != std::vector<int64_t>{0, 2, 1}) {
    return kNoValue;
  }
  const Fact &x = graph.input_fact(*merge, 0), &merged = graph.fact(merge->outputs[0]),
             &y = graph.fact(node.outputs[0]);
  if (!x.concrete() || !merged.concrete() || !y.dims || x.rank() < 3) return kNoValue;
  const bool matrices = merged.dim(1) == x.dim(x.rank() - 2) && merged.dim(2) == x.dim(x.rank() - 1);
  return matrices && transposed(*x.dims) == *y.dims ? merge->inputs[0] : kNoValue;
}

}  // namespace

// Of two Reshapes (or Flatten, Squeeze, Unsqueeze) in a row one is left, or none where they undo each other;
// Reshape(Transpose(Reshape(x))) -> Transpose(x), where the Reshapes only count matrices by one axis.
std::optional<Patch> cancel_reshapes(const Graph& graph, const Node& node) {
  if (!is_reshape(&node) || graph.is_output(node.outputs[0])) return std::nullopt;
  const Fact& y = graph.fact(node.outputs[0]);
  Patch patch(graph);
  if (const Node* before = graph.producer(node.inputs[0]); is_reshape(before)) {
    const ValueId x = before->inputs[0];
    const bool undone = same_dims(graph.fact(x), y);
    if (!undone && !has_elements(y)) return std::nullopt;
    patch.replace(node.outputs[0], undone ? x : add_reshape(patch, node, x, *y.dims));
    return patch;
  }
  const ValueId x = source_of_matrices(graph, node);
  if (x == kNoValue) return std::nullopt;
  patch.replace(node.outputs[0], add_matrix_transpose(patch, node, x, graph.fact(x).rank()));
  return patch;
}

}  // namespace linnet
