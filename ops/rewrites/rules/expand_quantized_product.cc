#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

bool constant_scalar(const Graph& graph, const Node& node, int input) {
  const Tensor* constant = graph.constant_input(node, input);
  return constant && constant->size() == 1;
}

/// Adds a DequantizeLinear; scales per channel belong to `axis`.
ValueId add_dequantize(Patch& patch, const Node& node, std::vector<ValueId> inputs, int64_t axis) {
  NodeSpec spec = standard_spec(node, "DequantizeLinear", 13);
  spec.attributes["axis"] = axis;
  return patch.add(std::move(spec), std::move(inputs));
}

ValueId add_weights(Patch& patch, const Node& node, const QuantizedWeights& weights, int64_t axis) {
  const std::string& name = node.spec.name;
  const bool one = weights.scale.size() == 1;
  std::vector<ValueId> inputs{patch.constant(name + ".w", weights.values),
                              patch.constant(name + ".w_scale", one ? weights.scale.reshaped({}) : weights.scale)};
  if (weights.zero) inputs.push_back(patch.constant(name + ".w_zero", one ? weights.zero.reshaped({}) : weights.zero));
  return add_dequantize(patch, node, std::move(inputs), axis);
}

/// Adds the DequantizeLinear of B, int32 in units of x_scale * w_scale.
ValueId add_bias(const Graph& graph, Patch& patch, const Node& node) {
  const Tensor& w_scale = *graph.constant_input(node, kWScale);
  Tensor scale = w_scale.clone();
  for (int64_t j = 0; j < scale.size(); ++j) scale.data<float>()[j] *= *scalar_input(graph, node, kXScale);
  return add_dequantize(patch, node, {node.inputs[kBias], patch.constant(node.spec.name + ".b_scale", scale)}, 0);
}

bool has_constant_grid(const Graph& graph, const Node& node, int scale) {
  return scalar_input(graph, node, scale) && constant_scalar(graph, node, scale + 1);
}

/// Adds the QuantizeLinear of a product.
ValueId add_quantize(Patch& patch, const Node& node, ValueId y) {
  return patch.add(standard_spec(node, "QuantizeLinear", 13), {y, node.inputs[kYScale], node.inputs[kYZero]});
}

/// Expands a QLinearMatMul of two activations.
std::optional<Patch> expand_product_of_activations(const Graph& graph, const Node& node) {
  if (!is_op(node, "QLinearMatMul") || !has_constant_grid(graph, node, kWScale)) return std::nullopt;
  const Fact &x = graph.input_fact(node, kX), &w = graph.input_fact(node, kW);
  if (!x.has_rank() || !w.has_rank() || x.rank() != w.rank() || x.rank() < 2) return std::nullopt;
  Patch patch(graph);
  const auto operand = [&](size_t i) {
    return add_dequantize(patch, node, {node.inputs[i], node.inputs[i + 1], node.inputs[i + 2]}, 1);
  };
  const ValueId a = operand(kX), b = operand(kW);
  const ValueId y = patch.add(standard_spec(node, "MatMul", 13), {a, b});
  patch.replace(node.outputs[0], add_quantize(patch, node, y));
  return patch;
}

}  // namespace

// QLinearConv and QLinearMatMul with constant scales, zero points and weights -> DequantizeLinear -> Conv or MatMul ->
// QuantizeLinear, the form that other rewrites match, if products on bytes support the weights. QLinearMatMul of two
// activations likewise.
LINNET_DEFINE_REWRITE(expand_quantized_product, "QLinearConv", "QLinearMatMul")(const Graph& graph, const Node& node) {
  const bool is_conv = is_op(node, "QLinearConv");
  if (!has_constant_grid(graph, node, kXScale) || !has_constant_grid(graph, node, kYScale)) return std::nullopt;
  if (!graph.constant_input(node, kW)) return expand_product_of_activations(graph, node);
  if (!graph.constant_input(node, kWZero)) return std::nullopt;
  const int axis = is_conv ? 0 : 1;
  const auto constant = [&](int input) { return graph.constant_input(node, input); };
  const auto weights = quantized_weights(constant(kW), constant(kWScale), constant(kWZero), axis);
  if (!weights || (!is_conv && constant(kW)->rank() != 2)) return std::nullopt;
  if (weights->zero && node.spec.attr_or("group", int64_t{1}) != 1) return std::nullopt;
  if (weights->zero && weights->zero.size() != weights->scale.size()) return std::nullopt;
  const bool has_bias = optional_input(node, kBias) != kNoValue;
  if (has_bias && !constant(kBias)) return std::nullopt;

  Patch patch(graph);
  std::vector<ValueId> inputs{
      add_dequantize(patch, node, {node.inputs[kX], node.inputs[kXScale], node.inputs[kXZero]}, 1),
      add_weights(patch, node, *weights, axis)};
  if (has_bias) inputs.push_back(add_bias(graph, patch, node));
  NodeSpec product = standard_spec(node, is_conv ? "Conv" : "MatMul", 13);
  product.attributes = node.spec.attributes;
  const ValueId y = patch.add(std::move(product), inputs);
  patch.replace(node.outputs[0], add_quantize(patch, node, y));
  return patch;
}

}  // namespace linnet
