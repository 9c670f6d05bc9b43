#pragma once

#include <vector>

#include "graph/graph.h"
#include "linnet/prefix.h"

namespace linnet {

/// What operators of the standard add nodes to in Op::prefix(): a graph on values that have memory for more rows than
/// are in use.
class PrefixGraph : public Prefix {
 public:
  /// The graph with expressions for dims, and the node of it that is asked for.
  virtual const Graph& graph() const = 0;
  virtual const Node& node() const = 0;
  /// The value whose elements a value of graph() holds, those of each row in the same row, as far as nodes that move
  /// elements were carried.
  virtual ValueId origin(ValueId v) const = 0;
  /// What stands for a value of graph() in runs.
  virtual ValueId now(ValueId v) = 0;
  /// How many elements a dim has there; -1: that cannot be known.
  virtual int64_t room(const Dim& dim) const = 0;

  /// New values: of a node with one output, of a constant, and an int64 tensor of the numbers that dims are in a run.
  /// room() knows these dims.
  virtual ValueId add(NodeSpec spec, std::vector<ValueId> inputs) = 0;
  virtual ValueId constant(const std::string& name, const Tensor& value) = 0;
  virtual ValueId numbers(const Dims& dims, const Shape& shape) = 0;
  /// `v` stands for an output of the node.
  virtual void give(int output, ValueId v) = 0;
};

/// The graph behind a Prefix that the engine made.
inline PrefixGraph& prefix_graph(Prefix& prefix) { return static_cast<PrefixGraph&>(prefix); }

}  // namespace linnet
