#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// The nodes that are left to compute, in order: outputs of the graph depend on them, and their own are not all known.
std::vector<NodeId> pending_nodes(const Graph& graph);

}  // namespace linnet
