#pragma once

#include "graph/rewrite.h"

namespace linnet {

/// The parts of a graph whose states are keys and values that Attention reads: Concat(past, new), a cache that Pad
/// makes longer for TensorScatter, or the past of Attention itself become TensorScatter into memory with more rows than
/// are in use, of which Attention is told how many count. See GrowingGraphs.
std::optional<GrowingGraphs> growing_states(const Graph& graph, const std::vector<GrowingState>& states);

}  // namespace linnet
