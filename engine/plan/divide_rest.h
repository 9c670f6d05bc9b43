#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// Nodes that wait for shapes of the run, in order, cut into lists, each of which reads what the plan has and the lists
/// before give. Within a list only a bounded number of shapes wait for one another: what is behind one of them is
/// specialised again for each, which would take quadratic time in all nodes.
std::vector<std::vector<NodeId>> divide_rest(const Graph& graph, const std::vector<NodeId>& waiting);

/// Graph::part() with ids, and operators, of its own: as small as what it has.
Graph small_part(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& inputs,
                 const std::vector<Graph::Output>& outputs);

}  // namespace linnet
