#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// y = scale[c] * x + shift[c] for the channels of x. A vector has one element if all channels share it.
struct ChannelAffine {
  int input = 0;  ///< which input of the node is x
  std::vector<float> scale, shift;

  float scale_of(int64_t channel) const { return scale.size() == 1 ? scale[0] : scale[size_t(channel)]; }
  float shift_of(int64_t channel) const { return shift.size() == 1 ? shift[0] : shift[size_t(channel)]; }
  bool fits(int64_t channels) const { return scale.size() == 1 || int64_t(scale.size()) == channels; }
  /// Whether all scales are finite. A division by zero is not, and stays a division.
  bool finite() const;
  /// The bias of y, [channels], if x has the given bias (null: no bias).
  Tensor folded_bias(const Tensor* bias, int64_t channels) const;
};

/// What a BatchNormalization with constant float32 parameters computes at inference, on axis 1; nullopt for any other
/// node.
std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node);

/// What Add, Sub, Mul or Div computes with a constant float32 that does not change the shape of x; nullopt for any
/// other node. The constant has one element, or one per channel and size 1 on all other axes. channel_axis is an axis
/// of x; negative counts from the end.
std::optional<ChannelAffine> constant_channel_arithmetic(const Graph& graph, const Node& node, int channel_axis);

}  // namespace linnet
