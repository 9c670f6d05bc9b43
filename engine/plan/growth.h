#pragma once

#include <vector>

#include "graph/graph.h"

namespace linnet {

/// A value that a run leaves for the next: an input of a graph, and the number of the output that becomes it, which has
/// more rows along `axis`.
struct GrowingState {
  ValueId input = kNoValue;
  size_t output = 0;
  int axis = 0;
};

/// How the states of a graph grow. States that have the same number of rows, and get the same number in each run, share
/// a count.
struct Growth {
  std::vector<GrowingState> states;
  std::vector<size_t> counts;  ///< by state: the count that it belongs to
  Dims rows;                   ///< by count: the symbol of the rows before a run
  std::vector<int64_t> added;  ///< by count: the rows that a run adds, at least 1
};

}  // namespace linnet
