#include "quantizer/form_writer.h"

#include <algorithm>
#include <string_view>

#include "rewrites/matching/match.h"
#include "tensor/seeded_hash.h"

namespace linnet {
namespace {

/// Shapes one value for each channel for a Conv's output [N, C, ...] or a matrix product's [..., N].
Tensor along_channels(const Tensor& values, const Layer& layer, const Node& node) {
  if (!is_op(node, "Conv") || values.rank() == 0) return values;
  Shape shape{values.size()};
  for (int i = 2; i < layer.weights.rank(); ++i) shape.push_back(1);
  return values.reshaped(shape);
}

/// The weights in the layout of MatMulInteger.
Tensor columns_last(const Tensor& values, const Layer& layer, const Node& node) {
  if (is_op(node, "Conv") || layer.axis == 1) return values;
  const int64_t n = values.dim(0), k = values.dim(1);
  Tensor result(DType::kInt8, {k, n});
  for (int64_t i = 0; i < values.size(); ++i) result.data<int8_t>()[i % k * n + i / k] = values.data<int8_t>()[i];
  return result;
}

}  // namespace

ValueId FormWriter::constant(const std::string& name, const Tensor& value) {
  const std::string_view bytes(static_cast<const char*>(value.raw()), value.bytes());
  const uint64_t hash = SeededHash()(bytes);
  const auto [begin, end] = constants_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (identical(graph_.fact(known->second).constant, value)) return known->second;
  }
  return constants_.emplace_hint(end, hash, graph_.add_constant(name, value))->second;
}

ValueId FormWriter::op(const std::string& op_type, std::vector<ValueId> inputs, const std::string& name,
                       const Attributes& attributes, const std::string& domain) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.domain = domain;
  spec.name = name + "_" + op_type;
  spec.opset = domain.empty() ? opset_ : 1;
  spec.attributes = attributes;
  return graph_.node(graph_.add_node(spec, std::move(inputs), {name})).outputs[0];
}

ValueId FormWriter::on_grid(ValueId x, const ActivationGrid& grid) {
  const std::string name = graph_.value(x).name;
  const ValueId scale = constant(name + "_scale", Tensor::scalar(grid.scale));
  const ValueId zero = constant(name + "_zero_point", Tensor::scalar(grid.zero));
  const ValueId bytes = op("QuantizeLinear", {x, scale, zero}, name + "_quantized");
  return op("DequantizeLinear", {bytes, scale, zero}, name + "_dequantized");
}

ValueId FormWriter::dequantized(const ByteWeights& weights, int axis, const std::string& name) {
  const bool per_channel = weights.scale.rank() > 0;
  Tensor zero(weights.values.dtype(), weights.scale.shape());
  std::fill_n(static_cast<std::byte*>(zero.raw()), zero.bytes(), std::byte{0});
  return op("DequantizeLinear",
            {constant(name + "_quantized", weights.values), constant(name + "_scale", weights.scale),
             constant(name + "_zero_point", zero)},
            name + "_dequantized", per_channel ? Attributes{{"axis", int64_t{axis}}} : Attributes{});
}

ValueId FormWriter::with_byte_weights(const Layer& layer, const Node& node, ValueId x, const ActivationGrid& grid,
                                      const WeightGrid& weight_grid, const std::string& name) {
  const ByteWeights weights = quantize_weights(layer, weight_grid, layer.bias ? grid.scale : 0);
  std::vector<ValueId> inputs{x, dequantized(weights, layer.axis, name + "_weight")};
  if (layer.bias) inputs.push_back(dequantized(quantize_bias(layer, weights, grid.scale), 0, name + "_bias"));
  return graph_.node(graph_.add_node(raise_opset(node.spec, opset_, opset_), inputs, {name})).outputs[0];
}

const FormWriter::DynamicInput& FormWriter::dynamic_input(ValueId x) {
  const auto known = dynamic_inputs_.find(x);
  if (known != dynamic_inputs_.end()) return known->second;
  NodeSpec spec;
  spec.op_type = "DynamicQuantizeLinear";
  spec.name = graph_.value(x).name + "_" + spec.op_type;
  spec.opset = opset_;
  const std::string name = graph_.value(x).name;
  const NodeId id = graph_.add_node(spec, {x}, {name + "_quantized", name + "_scale", name + "_zero_point"});
  const std::vector<ValueId>& y = graph_.node(id).outputs;
  return dynamic_inputs_[x] = {y[0], y[1], y[2]};
}

ValueId FormWriter::with_bias(const Layer& layer, const Node& node, ValueId y, const std::string& name) {
  const ValueId bias = constant(name + "_bias", along_channels(layer.bias, layer, node));
  return op("Add", {y, bias}, name);
}

ValueId FormWriter::on_dynamic_grid(const Layer& layer, const Node& node, ValueId x, const WeightGrid& weight_grid,
                                    const std::string& name) {
  const DynamicInput& bytes = dynamic_input(x);
  const ByteWeights weights = quantize_weights(layer, weight_grid);
  const bool conv = is_op(node, "Conv");
  const ValueId values = constant(name + "_weight_quantized", columns_last(weights.values, layer, node));
  const ValueId scale = constant(name + "_weight_scale", along_channels(weights.scale, layer, node));
  const ValueId zero = constant(name + "_weight_zero_point", Tensor::scalar(int8_t{0}));
  const ValueId sums = op(conv ? "ConvInteger" : "MatMulInteger", {bytes.values, values, bytes.zero, zero},
                          name + "_sums", conv ? node.spec.attributes : Attributes{});
  const ValueId floats = op("Cast", {sums}, name + "_floats", {{"to", int64_t{1}}});
  const ValueId scales = op("Mul", {bytes.scale, scale}, name + "_scales");
  const ValueId y = op("Mul", {floats, scales}, layer.bias ? name + "_scaled" : name);
  return layer.bias ? with_bias(layer, node, y, name) : y;
}

ValueId FormWriter::with_block_weights(const Layer& layer, const Node& node, ValueId x, int64_t block_size,
                                       const std::string& name) {
  const ByteWeights weights = quantize_blocks(layer, block_size);
  const Attributes attributes{{"K", layer.weights.dim(1 - layer.axis)},
                              {"N", layer.channels()},
                              {"bits", int64_t{4}},
                              {"block_size", block_size}};
  const ValueId y = op("MatMulNBits",
                       {x, constant(name + "_weight_blocks", weights.values),
                        constant(name + "_weight_scales", weights.scale.reshaped({weights.scale.size()}))},
                       layer.bias ? name + "_product" : name, attributes, kMicrosoft);
  return layer.bias ? with_bias(layer, node, y, name) : y;
}

}  // namespace linnet
