#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// Whether a and b contain matrices of the same shape, with more than one leading axis in a and one in b.
bool counts_matrices_of(const Fact& a, const Fact& b) {
  return a.concrete() && b.concrete() && a.rank() > 3 && b.rank() == 3 &&
         certainly_equal(a.dim(a.rank() - 2), b.dim(1)) && certainly_equal(a.dim(a.rank() - 1), b.dim(2)) &&
         a.shape().elements() > 0;
}

/// Whether a product has the same number of matrices on both sides.
bool is_batched(const Graph& graph, const Node& product) {
  const Fact &a = graph.input_fact(product, 0), &b = graph.input_fact(product, 1);
  return a.concrete() && b.concrete() && a.rank() == 3 && b.rank() == 3 && certainly_equal(a.dim(0), b.dim(0));
}

/// An input of the product with its first axis split into the leading axes of `counted`.
ValueId add_counted(Patch& patch, const Graph& graph, const Node& product, int input, const Fact& counted) {
  const Fact& x = graph.input_fact(product, input);
  Dims dims = *counted.dims;
  dims[dims.size() - 2] = x.dim(1);
  dims[dims.size() - 1] = x.dim(2);
  return add_reshape(patch, product, product.inputs[size_t(input)], dims);
}

ValueId add_product(Patch& patch, const Graph& graph, const Node& product, const Fact& counted) {
  const ValueId a = add_counted(patch, graph, product, 0, counted);
  return patch.add(product.spec, {a, add_counted(patch, graph, product, 1, counted)});
}

/// Splits scores, a product with or without a mask of its shape, whose first axis a Reshape splits.
std::optional<Patch> split_scores(const Graph& graph, const Node& node) {
  const Fact& y = graph.fact(node.outputs[0]);
  const Node* add = single_use(graph, node.inputs[0], "Add");
  for (int i = 0; i < (add ? 2 : 1); ++i) {
    const Node* product = single_use(graph, add ? add->inputs[size_t(i)] : node.inputs[0], "MatMul");
    if (!product || !is_batched(graph, *product)) continue;
    const Fact& scores = graph.fact(product->outputs[0]);
    const ValueId mask = add ? add->inputs[size_t(1 - i)] : kNoValue;
    if (!counts_matrices_of(y, scores) || (add && !same_dims(graph.fact(mask), scores))) continue;
    Patch patch(graph);
    ValueId split = add_product(patch, graph, *product, y);
    if (add) split = patch.add(add->spec, {split, add_reshape(patch, node, mask, *y.dims)});
    patch.replace(node.outputs[0], split);
    return patch;
  }
  return std::nullopt;
}

}  // namespace

// Reshape(MatMul(a, b)) -> MatMul(Reshape(a), Reshape(b)), if the Reshape splits the first axis of [n, rows, columns];
// a mask of the product's shape may be added in between. MatMul(Reshape(p), b), where p is a Softmax of such ->
// Reshape(MatMul(p, Reshape(b))). Such attention merges heads and samples into one axis for its products.
LINNET_DEFINE_REWRITE(split_product_batches, "Reshape", "MatMul")(const Graph& graph, const Node& node) {
  if (is_op(node, "Reshape")) return graph.is_output(node.outputs[0]) ? std::nullopt : split_scores(graph, node);
  const Node* merge = is_batched(graph, node) ? single_use(graph, node.inputs[0], "Reshape") : nullptr;
  if (!merge || !producer(graph, *merge, 0, "Softmax")) return std::nullopt;
  const Fact& p = graph.input_fact(*merge, 0);
  if (!counts_matrices_of(p, graph.input_fact(node, 0))) return std::nullopt;
  Patch patch(graph);
  const ValueId y = patch.add(node.spec, {merge->inputs[0], add_counted(patch, graph, node, 1, p)});
  patch.replace(node.outputs[0], add_reshape(patch, node, y, *graph.fact(node.outputs[0]).dims));
  return patch;
}

}  // namespace linnet
