#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// Makes captures of the values that the body of a node of `graph` carries from run to run as they came: constants
/// among them are then known in the body. What is left of the node has fewer inputs and outputs. Returns the values
/// that its other outputs, of `outputs`, are, by their numbers.
std::map<size_t, ValueId> capture_unchanged(const Graph& graph, NodeSpec& spec, std::vector<ValueId>& inputs,
                                            int outputs);

}  // namespace linnet
