#include "gemm/quantized_output.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// The product on bytes with float output and no activation that only this node reads; else nullptr.
const Node* product_with_floats(const Graph& graph, const Node& node) {
  const Node* product = open_product(graph, node.inputs[0]);
  return product && optional_input(*product, QuantizedInputs::kYScale) == kNoValue ? product : nullptr;
}

}  // namespace

// Relu(linnet::QLinearConv(x)) -> linnet::QLinearConv(x, activation=Relu) with float output; QLinearMatMul and Clip
// likewise.
LINNET_DEFINE_REWRITE(fuse_quantized_activation)(const Graph& graph, const Node& node) {
  const auto activation = activation_of(graph, node);
  const Node* product = activation && activation->function->clamp ? product_with_floats(graph, node) : nullptr;
  if (!product) return std::nullopt;
  NodeSpec spec = product->spec;
  set_activation(graph, &node, spec);
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(std::move(spec), product->inputs));
  return patch;
}

}  // namespace linnet
