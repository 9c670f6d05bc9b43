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

/// x less its zero points, as int8; nullopt where they do not fit. Zero points: one, or one for each index of the axis.
std::optional<Tensor> centered(const Tensor& x, const Tensor* zeros, int axis) {
  Tensor y(DType::kInt8, x.shape());
  const bool per_axis = zeros && zeros->size() > 1;
  const int64_t size = x.size(), channels = x.shape()[axis], inner = x.shape().elements(axis + 1, x.rank());
  const auto* from = static_cast<const uint8_t*>(x.raw());
  int8_t* const to = y.data<int8_t>();
  const bool is_signed = x.dtype() == DType::kInt8;
  for (int64_t first = 0; first < size; first += inner) {
    const int32_t zero = zeros ? byte_at(*zeros, per_axis ? first / inner % channels : 0) : 0;
    for (int64_t i = first; i < first + inner; ++i) {
      const int32_t value = (is_signed ? int32_t(int8_t(from[i])) : int32_t(from[i])) - zero;
      if (value < -128 || value > 127) return std::nullopt;
      to[i] = int8_t(value);
    }
  }
  return y;
}

/// int8, or uint8 less 128.
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
