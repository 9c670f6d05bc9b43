#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// y = scale[c] * x + shift[c].
struct ChannelAffine {
  std::vector<float> scale, shift;
};

/// What a BatchNormalization with constant float32 parameters does at inference; nullopt for any other node.
std::optional<ChannelAffine> constant_batch_norm(const Graph& graph, const Node& node);

}  // namespace linnet
