#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// A change to a graph, described before it is made: new nodes and constants, and uses that move from old values to new
/// ones. It is the only way to edit a finished graph. Applying it infers the new facts, checks that replaced values
/// keep dtype and shape, and drops nodes that are no longer read.
class Patch {
 public:
  explicit Patch(const Graph& graph) : first_value_(graph.value_count()) {}

  /// Adds a new constant.
  ValueId constant(const std::string& name, const Tensor& value);
  /// Adds a new node with one output (or several). Inputs are old values or values of this patch.
  ValueId add(NodeSpec spec, std::vector<ValueId> inputs);
  std::vector<ValueId> add(NodeSpec spec, std::vector<ValueId> inputs, int outputs);
  /// Adds a new node with the outputs of an old one: kNoValue where the old one omits them.
  std::vector<ValueId> add_for(const Node& old, NodeSpec spec, std::vector<ValueId> inputs);
  /// Names a value of this patch, for people and tools. Other values are named after their node.
  void rename(ValueId value, std::string name) { values_[size_t(value - first_value_)].name = std::move(name); }
  /// Makes all readers of `old_value` read `new_value`, including graph outputs (which keep their names). A new value
  /// takes the name of the (first) old one. Does nothing for kNoValue.
  void replace(ValueId old_value, ValueId new_value);
  /// Replaces all outputs of an old node.
  void replace(const Node& node, const std::vector<ValueId>& new_values);

  /// Makes the change. Throws Error(kInternal) if a replacement changes dtype or shape, and what the new nodes'
  /// operators throw; the graph is then unchanged.
  void apply(Graph& graph) const;

 private:
  /// The fact of an old value, or of a new one among `values`.
  const Fact& fact(const Graph& graph, const std::vector<Value>& values, ValueId id) const;
  /// The new nodes with ids and operators. Sets producers and facts of the new values, `values`.
  std::vector<std::shared_ptr<const Node>> make_nodes(const Graph& graph, std::vector<Value>& values) const;
  void check_replacements(const Graph& graph, const std::vector<Value>& values) const;
  /// The values that must be computed before the place where new nodes are inserted and replaced values are read.
  std::vector<ValueId> read_values() const;
  std::vector<NodeId> readers_of_replaced(const Graph& graph) const;
  void name_after_replaced(Graph& graph) const;
  /// New nodes, and those whose outputs were replaced. Any of them may now have no reader.
  std::vector<NodeId> nodes_to_doubt(const Graph& graph) const;

  ValueId first_value_;
  std::vector<Value> values_;                              // new ones, the first with id first_value_
  std::vector<Node> nodes_;                                // new ones, without ids and operators
  std::vector<std::pair<ValueId, ValueId>> replacements_;  // old, new
};

}  // namespace linnet
