#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/op.h"

namespace linnet {

class Graph;
class Patch;
struct Node;

/// From which opset on, and for which domain, an operator registration holds.
struct OpVersion {
  int64_t since = 1;
  std::string domain{};  ///< "" is ai.onnx
  /// How many inputs are the operator's own, at the least, where its bodies capture values, which follow as further
  /// inputs (NodeSpec::captures): those that the model does not write count as omitted.
  int own_inputs = 0;
};

/// A graph rewrite: called for every node; returns the change to make, or nullopt when it does not apply.
struct Rewrite {
  std::string name;
  std::optional<Patch> (*apply)(const Graph& graph, const Node& node) = nullptr;
  bool last = false;  ///< tried when no other rewrite applies any more
};

/// A change that a graph needs before its nodes can be compiled; nullopt where it needs none. Facts are known then.
using Lowering = std::optional<Patch> (*)(const Graph& graph);

/// The operators and rewrites that a model is loaded with. A value: copy it, add to it.
class LINNET_API Registry {
 public:
  using Factory = std::function<std::unique_ptr<Op>(const NodeSpec&)>;

  void add(const std::string& op_type, const OpVersion& version, Factory factory);
  /// Registers operator class T, constructed from the node.
  template <class T>
  void add(const std::string& op_type, const OpVersion& version = {}) {
    add(op_type, version, [](const NodeSpec& node) { return std::make_unique<T>(node); });
  }
  void add_rewrite(Rewrite rewrite) { rewrites_.push_back(std::move(rewrite)); }
  /// Sets the lowering that every graph undergoes, whatever optimization is asked for.
  void set_lowering(Lowering change) { lowering_ = change; }

  /// The operator of a node: the newest registration not above the node's opset.
  /// Throws Error(kUnsupported) when there is none, and what the operator's constructor throws.
  std::shared_ptr<const Op> create(const NodeSpec& node) const;
  /// OpVersion::own_inputs of that operator. Throws Error(kUnsupported) when there is none.
  int own_inputs(const NodeSpec& node) const;
  bool contains(const std::string& domain, const std::string& op_type, int64_t opset) const;

  const std::vector<Rewrite>& rewrites() const { return rewrites_; }
  Lowering lowering() const { return lowering_; }  ///< nullptr: none

  struct Entry {
    std::string domain, op_type;
    std::vector<int64_t> since;  ///< ascending
  };
  /// All operators, sorted by domain and name.
  std::vector<Entry> entries() const;

  /// Loads a shared library and calls its `extern "C" void linnet_register(linnet::Registry&)`.
  /// The library stays loaded as long as this registry or a copy lives. Throws Error(kIo).
  void load_library(const std::string& path);

 private:
  using Key = std::pair<std::string, std::string>;  // domain, op_type
  struct Registration {
    Factory factory;
    int own_inputs = 0;
  };

  const Registration& registration(const NodeSpec& node) const;

  std::vector<std::shared_ptr<void>> libraries_;  // first, so that it outlives the factories, whose code it holds
  std::map<Key, std::map<int64_t, Registration>> operators_;  // by the first opset
  std::vector<Rewrite> rewrites_;
  Lowering lowering_ = nullptr;
};

/// All operators and rewrites that Linnet comes with.
LINNET_API Registry standard_registry();

}  // namespace linnet
