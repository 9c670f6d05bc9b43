#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"

namespace linnet {
namespace {

bool is_gemm(const Node& product) { return product.spec.op_type == "Gemm"; }

bool can_take_residual(const Graph& graph, const Node& product) {
  if (!is_gemm(product)) return product.inputs.size() <= size_t(residual_input(product));
  const bool stay_halves = !product.spec.attr_or("transB", false) || graph.constant_input(product, 1);
  return is_matmul(graph, product) && stay_halves;
}

/// The product with a residual. A Gemm becomes a MatMul, because its third input would be broadcast.
ValueId with_residual(Patch& patch, const Node& product, ValueId residual) {
  NodeSpec spec = internal_spec(product, is_gemm(product) ? "MatMul" : product.spec.op_type);
  std::vector<ValueId> inputs = product.inputs;
  inputs.resize(size_t(residual_input(product)), kNoValue);
  inputs.push_back(residual);
  if (is_gemm(product)) {
    spec.attributes.clear();
    if (product.spec.attr_or("transB", false)) {
      NodeSpec transpose = standard_spec(product, "Transpose", 1);
      transpose.attributes = {{"perm", std::vector<int64_t>{1, 0}}};
      inputs[1] = patch.add(transpose, {inputs[1]});
    }
  }
  return patch.add(spec, inputs);
}

}  // namespace

// Add(linnet::Conv(x, w, b), r) -> linnet::Conv(x, w, b, r), where r has the shape of the result. DeformConv, MatMul,
// and a Gemm that is equivalent to a MatMul likewise.
LINNET_DEFINE_REWRITE(fuse_residual, "Add")(const Graph& graph, const Node& node) {
  for (int input = 0; input < 2; ++input) {
    const Node* product = product_before(graph, node, input);
    if (!product || !can_take_residual(graph, *product)) continue;
    const ValueId residual = other_input(node, product->outputs[0]);
    if (residual == kNoValue || !same_shape(graph.fact(residual), graph.fact(product->outputs[0]))) continue;
    Patch patch(graph);
    patch.replace(node.outputs[0], with_residual(patch, *product, residual));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
