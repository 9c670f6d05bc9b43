#include <algorithm>

#include "gemm/quantized_output.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// The product on bytes with float output that only this node reads, without a bias or later optional inputs; else
/// nullptr.
const Node* product_before_bias(const Graph& graph, ValueId value) {
  const Node* product = open_product(graph, value);
  if (!product) return nullptr;
  for (size_t input = Q::kYScale; input < Q::kWZero; ++input) {
    if (optional_input(*product, input) != kNoValue) return nullptr;
  }
  return product;
}

}  // namespace

// Add(linnet::QLinearMatMul(x, w), b) -> linnet::QLinearMatMul(x, w, b), where b is constant, with one float32 per
// output channel (the last axis). QLinearConv likewise.
LINNET_DEFINE_REWRITE(fuse_quantized_bias, "Add")(const Graph& graph, const Node& node) {
  for (int i = 0; i < 2; ++i) {
    const Node* product = product_before_bias(graph, node.inputs[size_t(i)]);
    const Tensor* bias = graph.constant_input(node, 1 - i);
    const Fact& y = graph.input_fact(node, i);
    if (!product || !bias || bias->dtype() != DType::kFloat32 || !y.has_rank()) continue;
    const Dim& channels = y.dim(y.rank() - 1);
    if (!channels.known() || bias->size() != channels.value() || bias->rank() == 0) continue;
    if (bias->rank() > y.rank() || bias->shape()[bias->rank() - 1] != channels.value()) continue;
    std::vector<ValueId> inputs = product->inputs;
    inputs.resize(std::max<size_t>(inputs.size(), Q::kBias + 1), kNoValue);
    Patch patch(graph);
    inputs[Q::kBias] = patch.constant(product->spec.name + ".b", bias->reshaped({channels.value()}));
    patch.replace(node.outputs[0], patch.add(product->spec, inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
