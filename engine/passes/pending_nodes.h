#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// The nodes that remain to be computed, in order: outputs of the graph depend on them, and not all of their outputs
/// are known.
std::vector<NodeId> pending_nodes(const Graph& graph);

}  // namespace linnet
