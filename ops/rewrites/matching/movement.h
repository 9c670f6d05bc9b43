#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// The positions of the inputs whose elements a node moves (Op::moves), without omitted inputs.
std::vector<size_t> moved_inputs(const Node& node);

}  // namespace linnet
