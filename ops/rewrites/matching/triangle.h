#pragma once

#include "graph/graph.h"

namespace linnet {

/// Whether a value is a lower-triangular mask of an attention: a matrix, or several equal ones, whose row i keeps the
/// elements 0 to i. Kept elements are true, or 0 where the others are below -1e30. Recognised from the nodes that
/// compute it, because it is not constant while its dims are open: a comparison of counted columns and rows, or Trilu
/// of a value whose elements are all equal.
bool is_written_triangle(const Graph& graph, ValueId value);

}  // namespace linnet
