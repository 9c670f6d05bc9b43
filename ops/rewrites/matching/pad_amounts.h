#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// The elements that a Pad of any opset adds before each axis of its input, followed by those after each axis; nullopt
/// if unknown.
std::optional<std::vector<int64_t>> pad_amounts(const Graph& graph, const Node& pad);

/// Whether a Pad inserts zeros.
bool pads_with_zeros(const Graph& graph, const Node& pad);

}  // namespace linnet
