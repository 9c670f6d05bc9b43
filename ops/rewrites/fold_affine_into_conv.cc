#include <algorithm>
#include <cmath>
#include <optional>

#include "rewrites/channel_affine.h"
#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

float of_channel(const std::vector<float>& values, int64_t channel) {
  return values.size() == 1 ? values[0] : values[size_t(channel)];
}

Tensor scaled_weights(const Tensor& w, const ChannelAffine& affine) {
  Tensor result(DType::kFloat32, w.shape());
  const int64_t per_channel = w.size() / w.dim(0);
  for (int64_t i = 0; i < w.size(); ++i) {
    result.data<float>()[i] = w.data<float>()[i] * of_channel(affine.scale, i / per_channel);
  }
  return result;
}

Tensor folded_bias(const Tensor* bias, const ChannelAffine& affine, int64_t channels) {
  Tensor result(DType::kFloat32, {channels});
  for (int64_t c = 0; c < channels; ++c) {
    const float b = bias ? bias->data<float>()[c] : 0.f;
    result.data<float>()[c] = b * of_channel(affine.scale, c) + of_channel(affine.shift, c);
  }
  return result;
}

// A division by zero is left to the division.
bool finite(const ChannelAffine& affine) {
  return std::all_of(affine.scale.begin(), affine.scale.end(), [](float scale) { return std::isfinite(scale); });
}

bool fits(const ChannelAffine& affine, const Tensor& w) {
  const auto channels = int64_t(affine.scale.size());
  return w.dtype() == DType::kFloat32 && w.size() > 0 && (channels == 1 || channels == w.dim(0));
}

}  // namespace

// scale * Conv(x, w, b) + shift -> Conv(x, w * scale, b * scale + shift): a BatchNormalization, or arithmetic with one
// constant per channel.
std::optional<Patch> fold_affine_into_conv(const Graph& graph, const Node& node) {
  auto affine = constant_batch_norm(graph, node);
  if (!affine) affine = constant_channel_arithmetic(graph, node);
  if (!affine || !finite(*affine)) return std::nullopt;
  const Node* conv = producer(graph, node, affine->input, "Conv");
  if (!conv || graph.only_consumer(conv->outputs[0]) != &node) return std::nullopt;
  const Tensor* w = graph.constant_input(*conv, 1);
  const Tensor* b = graph.constant_input(*conv, 2);
  const bool has_bias = conv->inputs.size() > 2 && conv->inputs[2] != kNoValue;
  if (!w || has_bias != (b != nullptr) || !fits(*affine, *w)) return std::nullopt;
  Patch patch(graph);
  const ValueId weights = patch.constant(conv->spec.name + ".weight", scaled_weights(*w, *affine));
  const ValueId bias = patch.constant(conv->spec.name + ".bias", folded_bias(b, *affine, w->dim(0)));
  patch.replace(node.outputs[0], patch.add(conv->spec, {conv->inputs[0], weights, bias}));
  return patch;
}

}  // namespace linnet
