#pragma once

#include "graph/graph.h"

namespace linnet {

/// Whether two forms of one graph compute floats alike: by as many operators of each kind with equal attributes, those
/// aside that only move elements. Chains of element-wise operators are the same as their links.
bool compute_alike(const Graph& a, const Graph& b);

}  // namespace linnet
