#include "rewrites/matching/channel_affine.h"

#include <algorithm>
#include <cmath>

#include "quantization/parameter.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// Outputs after the first exist only in training.
bool one_output(const Node& node) {
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) return false;
  }
  return true;
}

bool trains(const Node& node) {
  return node.spec.attr_or("training_mode", 0) != 0 || node.spec.attr_or("spatial", 1) == 0 ||
         (node.spec.opset < 7 && node.spec.attr_or("is_test", 0) == 0);
}

/// Whether c broadcasts to x along its channels or everywhere, without changing the shape of x.
bool varies_by_channel_only(const Fact& x, const Tensor& c, int channel_axis) {
  if (!x.has_rank() || x.rank() < 2 || c.rank() > x.rank()) return false;
  const int axis_of_x = channel_axis < 0 ? channel_axis + x.rank() : channel_axis;
  const int axis_of_c = c.rank() - x.rank() + axis_of_x;
  for (int i = 0; i < c.rank(); ++i) {
    if (c.dim(i) != 1 && (i != axis_of_c || !certainly_equal(x.dim(axis_of_x), c.dim(i)))) return false;
  }
  return true;
}

bool is_integer_parameter(const Tensor& x) {
  return x.rank() <= 1 && (x.dtype() == DType::kInt32 || x.dtype() == DType::kInt8 || x.dtype() == DType::kUint8);
}

int32_t integer_at(const Tensor& x, int64_t i) {
  const int64_t at = x.size() == 1 ? 0 : i;
  return x.dtype() == DType::kInt32 ? x.data<int32_t>()[at] : byte_at(x, at);
}

/// The floats that a DequantizeLinear computes from a constant vector.
std::optional<std::vector<float>> dequantized_vector(const Graph& graph, const Node& node) {
  const Tensor *x = graph.constant_input(node, 0), *scale = graph.constant_input(node, 1);
  const Tensor* zero = graph.constant_input(node, 2);
  if (!x || !is_integer_parameter(*x) || !scale || scale->dtype() != DType::kFloat32 || scale->rank() > 1) return {};
  if ((!zero && optional_input(node, 2) != kNoValue) || graph.fact(node.outputs[0]).dtype != DType::kFloat32) return {};
  if (scale->size() != 1 && scale->size() != x->size()) return {};
  std::vector<float> y;
  for (int64_t i = 0; i < x->size(); ++i) {
    const float factor = scale->data<float>()[scale->size() == 1 ? 0 : i];
    y.push_back(float(double(integer_at(*x, i)) - (zero ? integer_at(*zero, i) : 0)) * factor);
  }
  return y;
}

/// The elements of a constant float32 vector, which a DequantizeLinear may produce.
std::optional<std::vector<float>> vector_input(const Graph& graph, const Node& node, int input) {
  const Node* dequantize = producer(graph, node, input, "DequantizeLinear");
  if (dequantize) return dequantized_vector(graph, *dequantize);
  const Tensor* c = graph.constant_input(node, input);
  if (!c || c->dtype() != DType::kFloat32) return std::nullopt;
  return std::vector<float>(c->data<float>(), c->data<float>() + c->size());
}

/// Appends scale and shift of y = scale * x + shift for a two-input operator whose other operand is c.
void append_arithmetic(std::string_view op_type, float c, ChannelAffine& affine) {
  const bool scales = op_type == "Mul" || op_type == "Div";
  affine.scale.push_back(!scales ? 1.f : op_type == "Mul" ? c : 1 / c);
  affine.shift.push_back(scales ? 0.f : op_type == "Add" ? c : -c);
}

}  // namespace

bool ChannelAffine::finite() const {
  return std::all_of(scale.begin(), scale.end(), [](float factor) { return std::isfinite(factor); });
}

Tensor ChannelAffine::folded_bias(const Tensor* bias, int64_t channels) const {
  Tensor result(DType::kFloat32, {channels});
  for (int64_t c = 0; c < channels; ++c) {
    const float b = bias ? bias->data<float>()[c] : 0.f;
    result.data<float>()[c] = b * scale_of(c) + shift_of(c);
  }
  return result;
}

std::optional<ChannelAffine> constant_channel_arithmetic(const Graph& graph, const Node& node, int channel_axis) {
  const bool commutes = is_op(node, "Add") || is_op(node, "Mul");
  if (!commutes && !is_op(node, "Sub") && !is_op(node, "Div")) return std::nullopt;
  // Before opset 7, attributes determine how c is aligned.
  if (node.inputs.size() != 2 || node.spec.opset < 7) return std::nullopt;
  ChannelAffine affine;
  affine.input = commutes && graph.constant_input(node, 0) ? 1 : 0;
  const Tensor* c = graph.constant_input(node, 1 - affine.input);
  if (!c || c->dtype() != DType::kFloat32 ||
      !varies_by_channel_only(graph.input_fact(node, affine.input), *c, channel_axis)) {
    return std::nullopt;
  }
  for (int64_t i = 0; i < c->size(); ++i) append_arithmetic(node.spec.op_type, c->data<float>()[i], affine);
  return affine;
}

std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node) {
  if (!is_op(node, "BatchNormalization") || node.inputs.size() != 5 || !one_output(node) || trains(node)) {
    return std::nullopt;
  }
  std::vector<float> parameters[4];
  for (int i = 0; i < 4; ++i) {
    auto vector = vector_input(graph, node, 1 + i);
    if (!vector || (i > 0 && vector->size() != parameters[0].size())) return std::nullopt;
    parameters[i] = *std::move(vector);
  }
  const float epsilon = node.spec.attr_or("epsilon", 1e-5f);
  ChannelAffine affine;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    const auto value = [&](int i) { return double(parameters[i][c]); };
    const double scale = value(0) / std::sqrt(value(3) + double(epsilon));
    affine.scale.push_back(float(scale));
    affine.shift.push_back(float(value(1) - value(2) * scale));
  }
  return affine;
}

}  // namespace linnet
