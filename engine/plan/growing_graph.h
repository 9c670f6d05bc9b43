#pragma once

#include <optional>
#include <vector>

#include "plan/growth.h"
#include "plan/row_region.h"

namespace linnet {

/// A graph for one capacity of its states: all of its shapes are numbers, whatever the rows in use.
struct GrowingGraph {
  /// What an input is: one of the original graph, with room along `axis` where that is not -1; or, first, int64 with
  /// each count of rows in use.
  struct Source {
    size_t input = 0;
    int axis = -1;
  };

  Graph graph;
  std::vector<Source> sources;  ///< but for the first input
  std::vector<RowRegion> regions;
  std::vector<NodeId> others;  ///< nodes of the original graph that are in no region
};

/// The graph for states of these capacities, by count. Its first outputs are those of `open`, whose dims are linear in
/// growth.rows. nullopt where a value has several dims that grow, or ones that are not linear, between parts that run
/// otherwise.
std::optional<GrowingGraph> growing_graph(const Graph& open, const Growth& growth,
                                          const std::vector<int64_t>& capacities);

}  // namespace linnet
