#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// Turns values that the body of a node of `graph` carries unchanged from iteration to iteration into captures, so that
/// the body knows constants among them. The node then has fewer inputs and outputs. `outputs` is the number of the
/// node's outputs. Returns, by output number, the values that the removed outputs equal.
std::map<size_t, ValueId> capture_unchanged(const Graph& graph, NodeSpec& spec, std::vector<ValueId>& inputs,
                                            int outputs);

}  // namespace linnet
