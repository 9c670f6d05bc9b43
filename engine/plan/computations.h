#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/checksum.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// By which nodes floats are computed: kinds of operators, attributes and shapes, in an order of their own. Not those
/// that move elements, nor element-wise ones, however rewrites join these: they change no bits.
class Computations {
 public:
  /// Adds those among the nodes of a graph. sizes: what its open dims are.
  void add(const Graph& graph, const std::vector<NodeId>& nodes, const DimSubstitution& sizes = {});
  bool equal(const Computations& other) const { return each_ == other.each_; }

 private:
  std::vector<std::pair<std::string, Checksum>> each_;
};

}  // namespace linnet
