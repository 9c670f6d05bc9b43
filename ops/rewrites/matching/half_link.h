#pragma once

#include <string_view>

#include "graph/graph.h"

namespace linnet {

/// The link of a chain (see elementwise_chain.h) that a Cast between float32 and float16 or bfloat16 is equivalent to;
/// empty for other nodes.
std::string_view half_link(const Graph& graph, const Node& node);

}  // namespace linnet
