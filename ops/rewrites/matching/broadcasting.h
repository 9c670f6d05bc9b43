#pragma once

#include "graph/graph.h"

namespace linnet {

inline bool broadcasts(const Node& node) { return node.op->is_elementwise(); }

}  // namespace linnet
