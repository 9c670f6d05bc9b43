#include "rewrites/matching/quantized_product.h"

#include <algorithm>
#include <cmath>

#include "gemm/quantized_output.h"
#include "quantization/parameter.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool is_byte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }

bool usable(float scale) { return std::isfinite(scale) && scale > 0; }

/// Stores a value minus its zero point as int8, and returns 0 if it fits.
int store_centered(int value, int zero, int8_t& to) {
  const auto centered = int16_t(value - zero);
  to = int8_t(centered);
  return int16_t(centered ^ to);
}

/// Stores values minus their zero points (one for all, or one for each) as int8; returns false if one does not fit. The
/// loops have no early exit, so that compilers can vectorise them.
template <class T>
bool center(std::span<const T> values, std::span<const T> zeros, int8_t* to) {
  int wrapped = 0;
  if (zeros.size() == 1) {
    const int zero = zeros[0];
    for (size_t i = 0; i < values.size(); ++i) wrapped |= store_centered(values[i], zero, to[i]);
  } else {
    for (size_t i = 0; i < values.size(); ++i) wrapped |= store_centered(values[i], zeros[i], to[i]);
  }
  return wrapped == 0;
}

/// x minus its zero points (one, or one for each index of the axis) as int8; nullopt if one does not fit.
template <class T>
std::optional<Tensor> centered(const Tensor& x, const Tensor& zeros, int axis) {
  Tensor y(DType::kInt8, x.shape());
  const std::span<const T> values = x.values<T>(), zero = zeros.values<T>();
  const size_t inner = size_t(x.shape().elements(axis + 1, x.rank()));
  const bool per_channel = zero.size() > 1, by_row = per_channel && inner == 1;
  const size_t length = by_row ? zero.size() : per_channel ? inner : values.size();
  for (size_t first = 0; first < values.size(); first += length) {
    const auto of_part = by_row ? zero : zero.subspan(first / length % zero.size(), 1);
    if (!center(values.subspan(first, length), of_part, y.data<int8_t>() + first)) return std::nullopt;
  }
  return y;
}

std::optional<Tensor> centered(const Tensor& x, const Tensor* zeros, int axis) {
  const bool is_signed = x.dtype() == DType::kInt8;
  if (!zeros) return is_signed ? x : centered<uint8_t>(x, Tensor::of<uint8_t>({0}), axis);
  if (!is_signed) return centered<uint8_t>(x, *zeros, axis);
  const bool all_zero = std::ranges::all_of(zeros->values<int8_t>(), [](int8_t zero) { return zero == 0; });
  return all_zero ? x : centered<int8_t>(x, *zeros, axis);
}

/// Converts to int8: int8 unchanged, uint8 minus 128.
Tensor as_signed(const Tensor& x) {
  if (x.dtype() == DType::kInt8) return x;
  Tensor y(DType::kInt8, x.shape());
  const auto values = x.values<uint8_t>();
  std::ranges::transform(values, y.data<int8_t>(), [](uint8_t value) { return int8_t(value ^ 0x80); });
  return y;
}

/// Whether a parameter has one element, or one for each index of the axis.
bool fits(const Tensor& parameter, const Shape& x, int axis) {
  return parameter.size() == 1 || (parameter.rank() == 1 && parameter.shape()[0] == x[axis]);
}

}  // namespace

const Node* open_product(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!node || !graph.only_consumer(value) || node->spec.has("activation")) return nullptr;
  const bool on_bytes = is_op(*node, "QLinearConv", kInternalDomain) || is_op(*node, "QLinearMatMul", kInternalDomain);
  return on_bytes ? node : nullptr;
}

const Node* dequantize_before(const Graph& graph, const Node& node, int input) {
  const Node* dequantize = producer(graph, node, input, "DequantizeLinear");
  if (!dequantize || graph.input_fact(*dequantize, 0).dtype != DType::kUint8) return nullptr;
  return byte_grid(graph, *dequantize) ? dequantize : nullptr;
}

std::optional<QuantizeBehind> quantize_behind(const Graph& graph, ValueId value) {
  QuantizeBehind found;
  const Node* next = graph.only_consumer(value);
  const auto activation = next ? activation_of(graph, *next) : std::nullopt;
  if (activation && activation->function->clamp) {
    found.activation = next;
    next = graph.only_consumer(next->outputs[0]);
  }
  if (!next || !is_op(*next, "QuantizeLinear") || graph.fact(next->outputs[0]).dtype != DType::kUint8)
    return std::nullopt;
  if (!byte_grid(graph, *next)) return std::nullopt;
  found.quantize = next;
  return found;
}

void add_grid(Patch& patch, const Node& for_node, const ByteGrid& grid, std::vector<ValueId>& inputs) {
  inputs.push_back(patch.constant(for_node.spec.name + ".scale", Tensor::scalar(grid.scale)));
  inputs.push_back(patch.constant(for_node.spec.name + ".zero_point", Tensor::scalar(uint8_t(grid.zero_point))));
}

void set_activation(const Graph& graph, const Node* activation, NodeSpec& spec) {
  if (!activation) return;
  const Activation a = *activation_of(graph, *activation);
  spec.attributes["activation"] = std::string(a.function->name);
  spec.attributes["activation_alpha"] = a.alpha;
  spec.attributes["activation_beta"] = a.beta;
}

int64_t most_terms(const QuantizedWeights& weights) { return (int64_t{1} << 31) / (255 * (weights.zero ? 255 : 128)); }

void add_weight_zero(Patch& patch, const Node& for_node, const QuantizedWeights& weights,
                     std::vector<ValueId>& inputs) {
  if (!weights.zero) return;
  inputs.resize(QuantizedInputs::kWZero, kNoValue);
  inputs.push_back(patch.constant(for_node.spec.name + ".w_zero", weights.zero));
}

std::optional<QuantizedWeights> quantized_weights(const Tensor* x, const Tensor* scale, const Tensor* zero, int axis) {
  if (!x || !scale || !is_byte(x->dtype()) || scale->dtype() != DType::kFloat32 || axis >= x->rank())
    return std::nullopt;
  if (!fits(*scale, x->shape(), axis) || (zero && !fits(*zero, x->shape(), axis))) return std::nullopt;
  if (!std::all_of(scale->data<float>(), scale->data<float>() + scale->size(), usable)) return std::nullopt;
  const Tensor scales = scale->reshaped({scale->size()});
  if (const auto values = centered(*x, zero, axis)) return QuantizedWeights{*values, scales, {}};
  return QuantizedWeights{as_signed(*x), scales,
                          as_signed(zero ? zero->reshaped({zero->size()}) : Tensor::of<uint8_t>({0}))};
}

std::optional<QuantizedWeights> quantized_weights(const Graph& graph, const Node& node, int input, int axis) {
  const Node* dequantize = producer(graph, node, input, "DequantizeLinear");
  if (!dequantize || graph.fact(dequantize->outputs[0]).dtype != DType::kFloat32) return std::nullopt;
  if (dequantize->spec.attr_or("block_size", int64_t{0}) != 0) return std::nullopt;
  const Tensor *x = graph.constant_input(*dequantize, 0), *scale = graph.constant_input(*dequantize, 1);
  const Tensor* zero = graph.constant_input(*dequantize, 2);
  if (!x || !scale || (!zero && optional_input(*dequantize, 2) != kNoValue)) return std::nullopt;
  const bool per_axis = scale->size() > 1 || (zero && zero->size() > 1);
  const auto written = dequantize->spec.attr_or("axis", int64_t{1});
  if (per_axis && written != axis && written + x->rank() != axis) return std::nullopt;
  return quantized_weights(x, scale, zero, axis);
}

}  // namespace linnet
