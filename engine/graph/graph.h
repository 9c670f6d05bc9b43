#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/node_order.h"
#include "linnet/fact.h"
#include "linnet/node_spec.h"
#include "linnet/registry.h"

namespace linnet {

using ValueId = int;
using NodeId = int;
inline constexpr int kNoValue = -1;  ///< an omitted input or output, or no producer

/// An operator applied to values.
struct Node {
  explicit Node(NodeSpec described) : shared(std::make_shared<const NodeSpec>(std::move(described))), spec(*shared) {}

  NodeId id = kNoValue;
  std::shared_ptr<const NodeSpec> shared;  ///< shared with copies of the node; each plan has some
  const NodeSpec& spec;
  std::shared_ptr<const Op> op;
  std::vector<ValueId> inputs;   ///< kNoValue where omitted
  std::vector<ValueId> outputs;  ///< kNoValue where omitted
};

/// A value that flows between nodes. It is exactly one of: a graph input, a constant (fact.constant is set, no
/// producer), a node output.
struct Value {
  std::string name;
  Fact fact;
  NodeId producer = kNoValue;
};

/// A dataflow graph. Values and nodes keep their ids as long as they exist; nodes() is in topological order. Frontends
/// build it with the add functions; afterwards only Patches change it. Copies share operators and constants.
class LINNET_API Graph {
 public:
  struct Output {
    std::string name;
    ValueId value = kNoValue;
  };

  explicit Graph(std::shared_ptr<const Registry> registry) : registry_(std::move(registry)) {}

  ValueId add_input(std::string name, Fact fact);
  ValueId add_constant(std::string name, const Tensor& value);
  /// Adds a node after all others and creates its Op, but infers nothing. An empty output name omits that output.
  /// declared: WrittenValues::declared. Throws Error with the node's description if the registry has no such operator
  /// or the operator rejects the node.
  NodeId add_node(NodeSpec spec, std::vector<ValueId> inputs, const std::vector<std::string>& output_names,
                  std::vector<Fact> declared = {});
  void add_output(std::string name, ValueId value);
  /// Sets the fact of a value. If it differs from the previous one, nodes that read the value are no longer inferred.
  void set_fact(ValueId value, Fact fact);
  /// Whether the facts of the node's outputs were inferred from the current facts of its inputs.
  bool is_inferred(NodeId id) const { return is_inferred_[size_t(id)]; }
  void set_inferred(NodeId id) { is_inferred_[size_t(id)] = true; }
  /// Marks all nodes as not inferred, for when more can be inferred from the same facts than before.
  void forget_inferred() { is_inferred_.assign(nodes_.size(), false); }
  /// Removes every node that no output depends on.
  void drop_dead_nodes();
  /// Frees the contents of constants that nothing reads, including values whose nodes were removed.
  void drop_unread_constants();
  /// The part of this graph that consists of `nodes` (in order), with the given inputs and outputs. Ids are kept.
  Graph part(const std::vector<NodeId>& nodes, const std::vector<ValueId>& inputs,
             const std::vector<Output>& outputs) const;

  /// A copy of this graph with consecutive ids, in order, without gaps from dead values and nodes.
  Graph compacted() const;
  /// Frees the memory that is reserved for more values and nodes.
  void shrink_to_fit();
  /// Takes the nodes and values of `other` in place of equal ones that have the same ids here, so that memory holds
  /// them once.
  void share_with(const Graph& other);
  /// The bytes that the graph holds and shares with no other one, contents of constants aside.
  size_t own_bytes() const;

  const std::shared_ptr<const Registry>& registry() const { return registry_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const NodeOrder& nodes() const { return order_; }
  const Node& node(NodeId id) const { return *nodes_[size_t(id)]; }
  const Value& value(ValueId id) const { return *values_[size_t(id)]; }
  /// The constant of the value, which the tensor keeps alive.
  std::shared_ptr<const Tensor> shared_constant(ValueId id) const {
    return {values_[size_t(id)], &value(id).fact.constant};
  }
  const Fact& fact(ValueId id) const;  ///< not present() for kNoValue
  int value_count() const { return int(values_.size()); }
  int node_capacity() const { return int(nodes_.size()); }  ///< all ids ever assigned are below this
  bool alive(NodeId id) const { return nodes_[size_t(id)] != nullptr; }

  /// The node that computes the value, or nullptr for inputs, constants and kNoValue.
  const Node* producer(ValueId id) const;
  /// The nodes that read the value, each once, in order; empty for kNoValue.
  const std::vector<NodeId>& consumers(ValueId id) const;
  bool is_output(ValueId id) const { return id != kNoValue && uses_as_output_[size_t(id)] > 0; }
  bool is_input(ValueId id) const { return id != kNoValue && is_input_[size_t(id)]; }
  /// The only reader of the value if exactly one node reads it, once, and it is not a graph output; otherwise nullptr.
  const Node* only_consumer(ValueId id) const;
  /// The constant at an input position of a node, or nullptr. `input` may be past the end.
  const Tensor* constant_input(const Node& node, int input) const;
  /// The fact at an input position of a node; not present() if it is omitted or past the end.
  const Fact& input_fact(const Node& node, int input) const;

 private:
  friend class Patch;

  using Replacements = std::vector<std::pair<ValueId, ValueId>>;  // old, new

  ValueId add_value(Value value);
  ValueId add_value(std::shared_ptr<const Value> value);
  /// Returns the value to be changed in this graph only: a copy of it where another graph holds it, too.
  Value& edit(ValueId id);
  /// Adds values, and inserts nodes that have the next ids after node `behind`.
  void insert(NodeId behind, std::vector<Value> values, const std::vector<std::shared_ptr<const Node>>& nodes);
  void add_consumer(ValueId value, NodeId node);
  void replace_uses(const Replacements& replacements);
  void replace_inputs(NodeId id, const std::unordered_map<ValueId, ValueId>& values);
  void remove_dead(std::vector<NodeId> candidates);
  void sort();

  std::shared_ptr<const Registry> registry_;
  std::vector<ValueId> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::shared_ptr<const Value>> values_;  // shared with copies of the graph, see edit()
  std::vector<std::shared_ptr<const Node>> nodes_;
  NodeOrder order_;
  std::vector<std::vector<NodeId>> consumers_;
  std::vector<bool> is_inferred_;  // by node
  std::vector<bool> is_input_;
  std::vector<int> uses_as_output_;
};

/// Facts of a node's inputs and outputs, in order.
std::vector<Fact> input_facts(const Graph& graph, const Node& node);
std::vector<Fact> output_facts(const Graph& graph, const Node& node);

/// Calls the node's infer(); adds the node's description to any Error.
std::vector<Fact> infer_node(const Node& node, std::span<const Fact> in);

/// Whether these outputs of a node are known to have no elements. Such a node is neither compiled nor run, however
/// large the other dims of its values are.
bool no_elements(std::span<const Fact> outputs);

/// Throws the Error for an output that a kernel writes but its node omits.
[[noreturn]] void throw_output_omitted(int output);

/// The dtype to which a node's floats of fewer bits are converted before it computes (see Precision); kUndefined if it
/// has no such floats.
DType compute_dtype(const Node& node, std::span<const Fact> in, std::span<const Fact> out);

/// Calls f() and adds the node's description to any Error it throws.
template <class F>
decltype(auto) with_node_context(const NodeSpec& spec, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw error.with_context(spec.describe());
  }
}

}  // namespace linnet
