#include "rewrites/batch_norm.h"

#include <cmath>

#include "rewrites/match.h"

namespace linnet {
namespace {

// Later outputs exist in training only.
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

}  // namespace

std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node) {
  if (!is_op(node, "BatchNormalization") || node.inputs.size() != 5 || !one_output(node) || trains(node)) {
    return std::nullopt;
  }
  const Tensor* parameters[4];
  for (int i = 0; i < 4; ++i) {
    parameters[i] = graph.constant_input(node, 1 + i);
    if (!parameters[i] || parameters[i]->dtype() != DType::kFloat32) return std::nullopt;
    if (parameters[i]->size() != parameters[0]->size()) return std::nullopt;
  }
  const float epsilon = node.spec.attr_or("epsilon", 1e-5f);
  ChannelAffine affine;
  for (int64_t c = 0; c < parameters[0]->size(); ++c) {
    const auto value = [&](int i) { return double(parameters[i]->data<float>()[c]); };
    const double scale = value(0) / std::sqrt(value(3) + double(epsilon));
    affine.scale.push_back(float(scale));
    affine.shift.push_back(float(value(1) - value(2) * scale));
  }
  return affine;
}

}  // namespace linnet
