#pragma once

#include "graph/graph.h"

namespace linnet {

/// See Linearity. By what is known of operators: their output dims are those of their inputs, sums of them, or numbers
/// that are computed from them by sums and products with constants; nothing is divided, and no bound is reached
/// before so many sizes.
int64_t linear_dims(const Graph& graph, const Graph& a, const Graph& b);

}  // namespace linnet
