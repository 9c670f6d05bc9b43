#pragma once

#include <optional>
#include <vector>

#include "plan/growth.h"
#include "plan/row_region.h"

namespace linnet {

/// A graph for one capacity of its states. All of its shapes are numbers, whatever the number of rows in use.
struct GrowingGraph {
  /// An input other than the first: its number in the original graph, and the axis along which it has room, -1 for
  /// none. The first input is int64 and contains each count of rows in use.
  struct Source {
    size_t input = 0;
    int axis = -1;
  };

  Graph graph;
  std::vector<Source> sources;  ///< the sources of all inputs but the first
  std::vector<RowRegion> regions;
  std::vector<NodeId> others;  ///< nodes of the original graph that are in no region
};

/// Makes the graph for states of these capacities, by count. Its first outputs are those of `open`, whose dims are
/// linear in growth.rows. nullopt if, between parts that run on the rows in use, a value has several dims that grow or
/// ones that are not linear.
std::optional<GrowingGraph> growing_graph(const Graph& open, const Growth& growth,
                                          const std::vector<int64_t>& capacities);

}  // namespace linnet
