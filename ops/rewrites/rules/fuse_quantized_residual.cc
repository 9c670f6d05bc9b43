#include "gemm/quantized_output.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// The product on bytes, without a residual or activation, whose result only a DequantizeLinear with one reader reads;
/// else nullptr.
const Node* product_behind(const Graph& graph, const Node* dequantize) {
  if (!dequantize || !graph.only_consumer(dequantize->outputs[0])) return nullptr;
  const Node* product = open_product(graph, dequantize->inputs[0]);
  return product && optional_input(*product, Q::kResidual) == kNoValue ? product : nullptr;
}

}  // namespace

// QuantizeLinear(Relu?(Add(DequantizeLinear(product), DequantizeLinear(r)))) -> the product with the residual r, which
// has the shape of the result. The product is still rounded to its own scale before the addition.
LINNET_DEFINE_REWRITE(fuse_quantized_residual, "Add")(const Graph& graph, const Node& node) {
  const auto behind = quantize_behind(graph, node.outputs[0]);
  if (!behind || !same_shape(graph.input_fact(node, 0), graph.input_fact(node, 1))) return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    const Node *mine = dequantize_before(graph, node, i), *residual = dequantize_before(graph, node, 1 - i);
    const Node* product = product_behind(graph, mine);
    if (!product || !residual) continue;
    Patch patch(graph);
    std::vector<ValueId> inputs(product->inputs.begin(), product->inputs.begin() + Q::kYScale);
    add_grid(patch, *behind->quantize, *byte_grid(graph, *behind->quantize), inputs);
    inputs.push_back(optional_input(*product, Q::kBias));
    inputs.push_back(residual->inputs[0]);
    add_grid(patch, *residual, *byte_grid(graph, *residual), inputs);
    inputs.push_back(product->inputs[Q::kYScale]);
    inputs.push_back(product->inputs[Q::kYZero]);
    if (optional_input(*product, Q::kWZero) != kNoValue) inputs.push_back(product->inputs[Q::kWZero]);
    NodeSpec spec = product->spec;
    set_activation(graph, behind->activation, spec);
    patch.replace(behind->quantize->outputs[0], patch.add(spec, inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
