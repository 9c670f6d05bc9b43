#pragma once

#include <string_view>

#include "graph/graph.h"

namespace linnet {

/// The step of a chain (see elementwise_steps.h) that a Cast between float32 and float16 or bfloat16 is; empty for
/// other nodes.
std::string_view half_step(const Graph& graph, const Node& node);

}  // namespace linnet
