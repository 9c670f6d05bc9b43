#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// y = scale[c] * x + shift[c] for the channels, dimension 1, of x; one value each where all channels have the same.
struct ChannelAffine {
  int input = 0;  ///< which input of the node is x
  std::vector<float> scale, shift;
};

/// What a BatchNormalization with constant float32 parameters does at inference; nullopt for any other node.
std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node);

/// The same for Add, Sub, Mul and Div with a constant float32 of one value, or of one per channel and size 1 elsewhere,
/// that leaves the shape of x as it is.
std::optional<ChannelAffine> constant_channel_arithmetic(const Graph& graph, const Node& node);

}  // namespace linnet
