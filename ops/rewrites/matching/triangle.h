#pragma once

#include "graph/graph.h"

namespace linnet {

/// Whether a value is a matrix, or several equal ones, that keeps of row i the elements 0 to i, as a mask of an
/// attention does: true, or 0 where others are below -1e30. Told from the nodes that make it, as it is no constant
/// while its dims are open: a comparison of counted columns and rows, or Trilu of what is the same everywhere.
bool is_written_triangle(const Graph& graph, ValueId value);

}  // namespace linnet
