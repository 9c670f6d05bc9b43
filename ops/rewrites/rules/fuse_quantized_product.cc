#include <algorithm>
#include <cmath>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// The weights in the layout of internal operators: those of Conv unchanged, of MatMul and Gemm [K, N].
struct ProductWeights {
  QuantizedWeights weights;
  int64_t terms = 0, channels = 0;
};

std::optional<ProductWeights> conv_weights(const Graph& graph, const Node& node) {
  const Fact& x = graph.input_fact(node, 0);
  if (!x.has_rank() || x.rank() < 3 || x.rank() > 5) return std::nullopt;
  auto w = quantized_weights(graph, node, 1, 0);
  if (!w || w->values.rank() != x.rank() || w->values.size() == 0) return std::nullopt;
  if (w->zero && node.spec.attr_or("group", int64_t{1}) != 1) return std::nullopt;
  const int64_t channels = w->values.shape()[0];
  return ProductWeights{*w, w->values.size() / channels, channels};
}

Tensor transposed(const Tensor& w) {
  const int64_t n = w.shape()[0], k = w.shape()[1];
  Tensor result(DType::kInt8, {k, n});
  const int8_t* const from = w.data<int8_t>();
  int8_t* const to = result.data<int8_t>();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < k; ++j) to[j * n + i] = from[i * k + j];
  }
  return result;
}

std::optional<ProductWeights> matrix_weights(const Graph& graph, const Node& node) {
  const bool transposes = node.spec.attr_or("transB", int64_t{0}) != 0;
  auto w = quantized_weights(graph, node, 1, transposes ? 0 : 1);
  if (!w || w->values.rank() != 2 || w->values.size() == 0) return std::nullopt;
  if (transposes) w->values = transposed(w->values);
  return ProductWeights{*w, w->values.shape()[0], w->values.shape()[1]};
}

bool is_plain_gemm(const Node& node) {
  return is_op(node, "Gemm") && node.spec.attr_or("alpha", 1.f) == 1 && node.spec.attr_or("beta", 1.f) == 1 &&
         node.spec.attr_or("transA", int64_t{0}) == 0;
}

/// The constant bias, [channels]: float32, or int32 in units of scale * w_scale; nullopt for other inputs.
std::optional<Tensor> constant_bias(const Graph& graph, const Node& node, int64_t channels, float scale,
                                    const Tensor& w_scale) {
  const auto fits = [&](const Tensor* bias) {
    return bias && bias->size() == channels && bias->shape()[bias->rank() - 1] == channels;
  };
  if (const Tensor* bias = graph.constant_input(node, 2)) {
    return fits(bias) && bias->dtype() == DType::kFloat32 ? std::optional(bias->reshaped({channels})) : std::nullopt;
  }
  const Node* dequantize = producer(graph, node, 2, "DequantizeLinear");
  const Tensor* bias = dequantize ? graph.constant_input(*dequantize, 0) : nullptr;
  const Tensor* units = dequantize ? graph.constant_input(*dequantize, 1) : nullptr;
  const Tensor* zero = dequantize ? graph.constant_input(*dequantize, 2) : nullptr;
  if (!fits(bias) || bias->dtype() != DType::kInt32 || !units || units->dtype() != DType::kFloat32) return std::nullopt;
  if (units->size() != 1 && units->size() != channels) return std::nullopt;
  if (!zero && optional_input(*dequantize, 2) != kNoValue) return std::nullopt;
  if (zero && std::ranges::count(zero->values<int32_t>(), 0) != zero->size()) return std::nullopt;
  for (int64_t j = 0; j < channels; ++j) {
    const float unit = scale * w_scale.data<float>()[w_scale.size() > 1 ? j : 0];
    if (std::abs(units->data<float>()[units->size() > 1 ? j : 0] - unit) > 1e-6f * unit) return std::nullopt;
  }
  return bias->reshaped({channels});
}

}  // namespace

// DequantizeLinear(x), DequantizeLinear(w) -> Conv, MatMul or Gemm -> (Relu or Clip ->) QuantizeLinear becomes
// linnet::QLinearConv, channels-last, or linnet::QLinearMatMul on bytes. Without a QuantizeLinear, the output is float.
LINNET_DEFINE_REWRITE(fuse_quantized_product, "Conv", "MatMul", "Gemm")(const Graph& graph, const Node& node) {
  const bool is_conv = is_op(node, "Conv");
  if (!is_conv && !is_op(node, "MatMul") && !is_plain_gemm(node)) return std::nullopt;
  const Node* x = dequantize_before(graph, node, 0);
  const auto w = !x ? std::nullopt : is_conv ? conv_weights(graph, node) : matrix_weights(graph, node);
  if (!w || w->terms > most_terms(w->weights)) return std::nullopt;
  const ByteGrid from = *byte_grid(graph, *x);
  const auto bias = optional_input(node, 2) == kNoValue
                        ? std::optional(Tensor())
                        : constant_bias(graph, node, w->channels, from.scale, w->weights.scale);
  if (!bias) return std::nullopt;

  const std::string& name = node.spec.name;
  const int rank = graph.input_fact(node, 0).has_rank() ? graph.input_fact(node, 0).rank() : 0;
  Patch patch(graph);
  std::vector<ValueId> inputs{is_conv ? add_to_channels_last(patch, node, x->inputs[0], rank) : x->inputs[0]};
  add_grid(patch, *x, from, inputs);
  inputs.push_back(patch.constant(name + ".w", w->weights.values));
  inputs.push_back(patch.constant(name + ".w_scale", w->weights.scale));
  NodeSpec spec = internal_spec(node, is_conv ? "QLinearConv" : "QLinearMatMul");
  const auto behind = quantize_behind(graph, node.outputs[0]);
  if (behind) {
    add_grid(patch, *behind->quantize, *byte_grid(graph, *behind->quantize), inputs);
    set_activation(graph, behind->activation, spec);
  } else {
    inputs.insert(inputs.end(), {kNoValue, kNoValue});
  }
  if (*bias) inputs.push_back(patch.constant(name + ".b", *bias));
  add_weight_zero(patch, node, w->weights, inputs);
  const ValueId y = patch.add(spec, inputs);
  patch.replace(behind ? behind->quantize->outputs[0] : node.outputs[0],
                is_conv ? add_to_channels_first(patch, node, y, rank) : y);
  return patch;
}

}  // namespace linnet
