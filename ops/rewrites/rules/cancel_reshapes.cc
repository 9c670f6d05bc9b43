#include <algorithm>
#include <numeric>
#include <optional>

#include "rewrites/matching/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

bool is_reshape(const Node* node) {
  return node &&
         (is_op(*node, "Reshape") || is_op(*node, "Flatten") || is_op(*node, "Squeeze") || is_op(*node, "Unsqueeze"));
}

bool same_dims(const Fact& a, const Fact& b) { return a.dims && b.dims && *a.dims == *b.dims; }

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

// A Reshape (or Flatten, Squeeze, Unsqueeze) that undoes another -> x; Reshape(Transpose(Reshape(x))) -> Transpose(x),
// where the Reshapes only count matrices by one axis.
std::optional<Patch> cancel_reshapes(const Graph& graph, const Node& node) {
  if (!is_reshape(&node) || graph.is_output(node.outputs[0])) return std::nullopt;
  Patch patch(graph);
  const Node* before = graph.producer(node.inputs[0]);
  if (is_reshape(before) && same_dims(graph.input_fact(*before, 0), graph.fact(node.outputs[0]))) {
    patch.replace(node.outputs[0], before->inputs[0]);
    return patch;
  }
  const ValueId x = source_of_matrices(graph, node);
  if (x == kNoValue) return std::nullopt;
  const int rank = graph.fact(x).rank();
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::iter_swap(perm.end() - 2, perm.end() - 1);
  NodeSpec spec = standard_spec(node, "Transpose", 13);
  spec.attributes["perm"] = perm;
  patch.replace(node.outputs[0], patch.add(spec, {x}));
  return patch;
}

}  // namespace linnet
