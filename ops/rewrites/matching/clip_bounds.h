#pragma once

#include <optional>

#include "graph/graph.h"

namespace linnet {

struct ClipBounds {
  float low, high;  ///< infinite where absent
};

/// The bounds of a float32 Clip of any opset; nullopt where they are not known.
std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& clip);

}  // namespace linnet
