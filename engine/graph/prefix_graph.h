#pragma once

#include <vector>

#include "graph/graph.h"
#include "linnet/prefix.h"

namespace linnet {

/// The interface through which standard operators add nodes in Op::prefix(): a graph on values that have memory for
/// more rows than are in use.
class PrefixGraph : public Prefix {
 public:
  /// The graph, with expressions for dims, and the node in it whose prefix() is called.
  virtual const Graph& graph() const = 0;
  virtual const Node& node() const = 0;
  /// The value whose elements a value of graph() contains, each row's in the same row, as far as nodes that move
  /// elements were carried.
  virtual ValueId origin(ValueId v) const = 0;
  /// The value that represents a value of graph() in runs.
  virtual ValueId now(ValueId v) = 0;
  /// The number of elements that there is memory for along a dim; -1 if it cannot be known.
  virtual int64_t room(const Dim& dim) const = 0;

  /// Add values: that of a node with one output, a constant, and an int64 tensor of the values that dims have in a run.
  /// room() knows these dims.
  virtual ValueId add(NodeSpec spec, std::vector<ValueId> inputs) = 0;
  virtual ValueId constant(const std::string& name, const Tensor& value) = 0;
  virtual ValueId numbers(const Dims& dims, const Shape& shape) = 0;
  /// Makes `v` an output of the node.
  virtual void give(int output, ValueId v) = 0;
};

/// The PrefixGraph of a Prefix that the engine made.
inline PrefixGraph& prefix_graph(Prefix& prefix) { return static_cast<PrefixGraph&>(prefix); }

}  // namespace linnet
