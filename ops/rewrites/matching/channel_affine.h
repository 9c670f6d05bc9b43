#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// y = scale[c] * x + shift[c] for the channels of x; one value each where all channels have the same.
struct ChannelAffine {
  int input = 0;  ///< which input of the node is x
  std::vector<float> scale, shift;

  float scale_of(int64_t channel) const { return scale.size() == 1 ? scale[0] : scale[size_t(channel)]; }
  float shift_of(int64_t channel) const { return shift.size() == 1 ? shift[0] : shift[size_t(channel)]; }
  bool fits(int64_t channels) const { return scale.size() == 1 || int64_t(scale.size()) == channels; }
  /// False where it divides by zero, which is left to the division.
  bool finite() const;
  /// The bias of y where x has that bias (none where null).
  Tensor folded_bias(const Tensor* bias, int64_t channels) const;
};

/// What a BatchNormalization with constant float32 parameters does at inference, on axis 1; nullopt for any other node.
std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node);

/// The same for Add, Sub, Mul and Div with a constant float32 of one value, or of one per channel and size 1 elsewhere,
/// that leaves the shape of x as it is. channel_axis: of x; negative from the end.
std::optional<ChannelAffine> constant_channel_arithmetic(const Graph& graph, const Node& node, int channel_axis);

}  // namespace linnet
