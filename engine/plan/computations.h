#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/checksum.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The nodes by which a graph computes floats: their operators, attributes and shapes, sorted. Nodes that move elements
/// and element-wise nodes are left out, because they produce the same bits however rewrites combine them.
class Computations {
 public:
  /// Adds those of a graph's nodes that count. sizes: the values of its open dims.
  void add(const Graph& graph, const std::vector<NodeId>& nodes, const DimSubstitution& sizes = {});
  bool equal(const Computations& other) const { return each_ == other.each_; }

 private:
  std::vector<std::pair<std::string, Checksum>> each_;
};

}  // namespace linnet
