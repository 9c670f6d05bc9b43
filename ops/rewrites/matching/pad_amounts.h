#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// What a Pad of any opset adds before each axis of its input, then after each; nullopt where it is not known.
std::optional<std::vector<int64_t>> pad_amounts(const Graph& graph, const Node& pad);

/// True for a Pad whose new elements are zeros.
bool pads_with_zeros(const Graph& graph, const Node& pad);

}  // namespace linnet
