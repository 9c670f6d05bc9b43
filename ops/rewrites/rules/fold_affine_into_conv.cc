#include <algorithm>
#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/channel_affine.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"

namespace linnet {
namespace {

bool can_scale(const Tensor* w, const ChannelAffine& affine) { return w && w->size() > 0 && affine.fits(w->dim(0)); }

const Node* convolution(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  return node && (is_op(*node, "Conv") || is_deform_conv(*node)) ? node : nullptr;
}

Tensor scaled_weights(const Tensor& w, const ChannelAffine& affine) {
  Tensor result(DType::kFloat32, w.shape());
  const int64_t per_channel = w.size() / w.dim(0);
  const float* from = w.data<float>();
  float* to = result.data<float>();
  for (int64_t channel = 0; channel < w.dim(0); ++channel) {
    const float scale = affine.scale_of(channel);
    for (int64_t i = 0; i < per_channel; ++i) *to++ = *from++ * scale;
  }
  return result;
}

}  // namespace

// scale * Conv(x, w, b) + shift -> Conv(x, w * scale, b * scale + shift), for a BatchNormalization or arithmetic with
// one constant per channel. Deformable convolutions likewise.
LINNET_DEFINE_REWRITE(fold_affine_into_conv, "BatchNormalization", "Add", "Mul", "Sub", "Div")
(const Graph& graph, const Node& node) {
  auto affine = constant_batch_norm(graph, node);
  if (!affine) affine = constant_channel_arithmetic(graph, node, 1);
  if (!affine || !affine->finite()) return std::nullopt;
  const Node* conv = convolution(graph, node.inputs[size_t(affine->input)]);
  if (!conv || graph.only_consumer(conv->outputs[0]) != &node) return std::nullopt;
  const Tensor* w = constant_weights(graph, *conv);
  const auto bias = size_t(bias_input(*conv));
  const Tensor* b = graph.constant_input(*conv, int(bias));
  const bool has_bias = conv->inputs.size() > bias && conv->inputs[bias] != kNoValue;
  if (has_bias != (b != nullptr) || !can_scale(w, *affine)) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = conv->inputs;
  inputs.resize(std::max(inputs.size(), bias + 1), kNoValue);
  inputs[1] = patch.constant(conv->spec.name + ".weight", scaled_weights(as_float32(*w), *affine));
  inputs[bias] = patch.constant(conv->spec.name + ".bias", affine->folded_bias(b, w->dim(0)));
  patch.replace(node.outputs[0], patch.add(conv->spec, inputs));
  return patch;
}

}  // namespace linnet
