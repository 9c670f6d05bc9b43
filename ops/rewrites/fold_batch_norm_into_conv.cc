#include <optional>

#include "rewrites/batch_norm.h"
#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

Tensor scaled_weights(const Tensor& w, const std::vector<float>& scale) {
  Tensor result(DType::kFloat32, w.shape());
  const int64_t per_channel = w.size() / int64_t(scale.size());
  for (int64_t i = 0; i < w.size(); ++i) {
    result.data<float>()[i] = w.data<float>()[i] * scale[size_t(i / per_channel)];
  }
  return result;
}

Tensor folded_bias(const Tensor* bias, const ChannelAffine& affine) {
  std::vector<float> folded = affine.shift;
  for (size_t i = 0; bias && i < folded.size(); ++i) folded[i] += bias->data<float>()[i] * affine.scale[i];
  return Tensor::of(folded);
}

}  // namespace

// BatchNormalization(Conv(x, w, b)) -> Conv(x, w * scale, b * scale + shift): constant float32 parameters.
std::optional<Patch> fold_batch_norm_into_conv(const Graph& graph, const Node& node) {
  const auto affine = constant_batch_norm(graph, node);
  if (!affine) return std::nullopt;
  const Node* conv = producer(graph, node, 0, "Conv");
  if (!conv || graph.only_consumer(conv->outputs[0]) != &node) return std::nullopt;
  const Tensor* w = graph.constant_input(*conv, 1);
  const Tensor* b = graph.constant_input(*conv, 2);
  const bool has_bias = conv->inputs.size() > 2 && conv->inputs[2] != kNoValue;
  if (!w || has_bias != (b != nullptr) || w->size() == 0 || w->dim(0) != int64_t(affine->scale.size())) {
    return std::nullopt;
  }
  Patch patch(graph);
  const ValueId weights = patch.constant(conv->spec.name + ".weight", scaled_weights(*w, affine->scale));
  const ValueId bias = patch.constant(conv->spec.name + ".bias", folded_bias(b, *affine));
  patch.replace(node.outputs[0], patch.add(conv->spec, {conv->inputs[0], weights, bias}));
  return patch;
}

}  // namespace linnet
