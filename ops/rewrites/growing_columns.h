#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// What nodes that depend on the rows of states see of them.
struct StateRows {
  std::vector<ValueId> states;  ///< [batch, heads, rows, size], as inputs, with the dim kCapacity
  ValueId rows = kNoValue;      ///< int64 [batch]: how many they have, each the same
  int64_t new_rows = 0;         ///< that a run adds
  Dim total;                    ///< the dim of what has a column for each row, new ones included
};

/// The graph with nodes that depend on lengths in a form that one plan has for all of them: what has a column for each
/// row gets one for each that there is room for, those behind the rows in use being of no meaning; numbers that are
/// made from lengths are made from `rows`, in the run. nullopt where an operator would let a column see others, and
/// where values have other dims that depend on lengths.
std::optional<Graph> compute_columns(const Graph& graph, const std::vector<NodeId>& nodes, const StateRows& state_rows);

}  // namespace linnet
