#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

bool takes_rows(const Graph& graph, const Node& product) {
  if (is_op(product, "Gemm")) return is_matmul(graph, product) && !product.spec.attr_or("transB", false);
  const bool matmul = is_op(product, "MatMul") || is_op(product, "MatMul", kInternalDomain);
  return matmul && product.inputs.size() <= size_t(residual_input(product)) && constant_weights(graph, product);
}

/// The dims of a product by a matrix with this number of columns.
Dims with_columns(Dims dims, const Dim& columns) {
  dims.back() = columns;
  return dims;
}

}  // namespace

// Reshape(MatMul(Reshape(x), w)) -> MatMul(x, w), if the Reshapes keep the rows of x. A Gemm between Reshapes becomes a
// MatMul, too.
LINNET_DEFINE_REWRITE(lift_product_over_reshapes, "Reshape", "Flatten", "Squeeze", "Unsqueeze")
(const Graph& graph, const Node& node) {
  const Node* product = product_before(graph, node, 0);
  const Node* merge = product ? graph.producer(product->inputs[0]) : nullptr;
  if (!is_reshape(merge) || !takes_rows(graph, *product)) return std::nullopt;
  const Fact &x = graph.input_fact(*merge, 0), &rows = graph.fact(merge->outputs[0]), &y = graph.fact(node.outputs[0]);
  if (!x.dims || !rows.dims || x.rank() == 0 || rows.rank() < 2) return std::nullopt;
  const Tensor* w = constant_weights(graph, *product);
  const bool fits = w->rank() == 2 && x.rank() >= 2 &&
                    certainly_equal(x.dim(x.rank() - 1), rows.dim(rows.rank() - 1)) && y.dims &&
                    certainly_equal(with_columns(*x.dims, w->dim(1)), *y.dims);
  if (!fits) return std::nullopt;
  std::vector<ValueId> inputs = product->inputs;
  inputs[0] = merge->inputs[0];
  NodeSpec spec = is_op(*product, "Gemm") ? internal_spec(*product, "MatMul") : product->spec;
  if (is_op(*product, "Gemm")) spec.attributes.clear();
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
