#pragma once

#include "graph/graph.h"

namespace linnet {

/// True for an operator whose output has, at each place, a function of what its inputs have there, which are broadcast
/// by NumPy's rules.
bool broadcasts(const Node& node);

}  // namespace linnet
