#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// The positions of the inputs that a node moves the elements of (Op::moves), those that are omitted left out.
std::vector<size_t> moved_inputs(const Node& node);

}  // namespace linnet
