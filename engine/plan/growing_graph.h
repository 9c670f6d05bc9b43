#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/growth.h"
#include "plan/linear_dim.h"

namespace linnet {

/// A graph for one capacity of its states: all of its shapes are numbers, whatever the rows in use.
struct GrowingGraph {
  /// What an input is: one of the original graph, with room along `axis` where that is not -1; or, first, int64 with
  /// each count of rows in use.
  struct Source {
    size_t input = 0;
    int axis = -1;
  };

  /// Nodes that run on copies of the rows in use.
  struct Region {
    std::shared_ptr<const Graph> body;
    std::vector<std::vector<LinearDim>> inputs;  ///< their dims
  };

  Graph graph;
  std::vector<Source> sources;  ///< but for the first input
  std::vector<Region> regions;
  std::vector<NodeId> others;  ///< nodes of the original graph that are in no region
};

/// The internal operators that it is made of: numbers that depend on counts, and Region.
inline constexpr const char* kDimValues = "DimValues";
inline constexpr const char* kRowsInUse = "RowsInUse";

/// The graph for states of these capacities, by count. Its first outputs are those of `open`, whose dims are linear in
/// growth.rows. nullopt where a value has several dims that grow, or ones that are not linear, between parts that run
/// otherwise.
std::optional<GrowingGraph> growing_graph(const Graph& open, const Growth& growth,
                                          const std::vector<int64_t>& capacities);

}  // namespace linnet
