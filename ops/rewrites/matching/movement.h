#pragma once

#include "graph/graph.h"

namespace linnet {

/// How many inputs, the first ones, an operator of one output only moves the elements of; 0 for all others.
size_t moved_inputs(const Node& node);

}  // namespace linnet
