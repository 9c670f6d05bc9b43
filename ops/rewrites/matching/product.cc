#include "rewrites/matching/product.h"

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool is_product(const Node& node) {
  return is_op(node, "Conv", kInternalDomain) || is_op(node, "DeformConv", kInternalDomain) || is_op(node, "MatMul") ||
         is_op(node, "MatMul", kInternalDomain) || is_op(node, "Gemm") || is_op(node, "Gemm", kInternalDomain);
}

bool deforms(const Node& product) { return is_deform_conv(product) || is_op(product, "DeformConv", kInternalDomain); }

bool is_activated(const Node& product) {
  return !product.spec.attr_or("activation", "").empty() ||
         (is_op(product, "Conv", kInternalDomain) && has_slope(product));
}

}  // namespace

const Node* product_before(const Graph& graph, const Node& node, int input) {
  const Node* product = graph.producer(node.inputs[size_t(input)]);
  if (!product || !is_product(*product) || is_activated(*product)) return nullptr;
  const ValueId result = product->outputs[0];
  return graph.fact(result).dtype == DType::kFloat32 && graph.only_consumer(result) == &node ? product : nullptr;
}

int bias_input(const Node& product) { return deforms(product) ? 3 : 2; }

int residual_input(const Node& product) { return deforms(product) ? 5 : 3; }

bool is_matmul(const Graph& graph, const Node& gemm) {
  const Tensor* w = constant_weights(graph, gemm);
  if (!w || gemm.spec.attr_or("alpha", 1.0f) != 1 || gemm.spec.attr_or("transA", false)) return false;
  const Fact& c = graph.input_fact(gemm, 2);
  const int64_t columns = w->dim(gemm.spec.attr_or("transB", false) ? 0 : 1);
  return !c.present() ||
         (c.constant && c.rank() == 1 && certainly_equal(c.dim(0), columns) && gemm.spec.attr_or("beta", 1.0f) == 1);
}

bool has_slope(const Node& conv) { return conv.inputs.size() > 4; }

}  // namespace linnet
