#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nested_graph.h"
#include "opset_imports.h"
#include "proto.h"
#include "tensor/counted_memory.h"
#include "tensor/seeded_hash.h"

namespace linnet {

class Scope;

/// An attribute and the scope in which the names in it are to be understood.
struct ScopedAttribute {
  const pb::AttributeProto* proto = nullptr;
  const Scope* scope = nullptr;
};

/// What names mean: in the main graph, in a body (which sees the names around it), or in a function call (which sees
/// only its own). Values of several scopes may be in one graph. Names that it is given must outlive it: they are parts
/// of the message.
class Scope {
 public:
  /// The scope of the main graph.
  Scope(NestedGraph& graph, const OpsetImports& opsets) : graph_(graph), opsets_(opsets) {}
  /// The scope of a body.
  Scope(NestedGraph& graph, const Scope& around)
      : graph_(graph), opsets_(around.opsets_), around_(&around), prefix_(around.prefix_) {}
  /// The scope of a function call; `prefix` comes before the names of its nodes and values.
  Scope(NestedGraph& graph, const OpsetImports& opsets, std::string prefix)
      : graph_(graph), opsets_(opsets), is_function_(true), prefix_(std::move(prefix)) {
    texts_.add(prefix_.size());
  }
  Scope(const Scope&) = delete;

  NestedGraph& nested() const { return graph_; }
  Graph& graph() const { return graph_.graph; }
  const OpsetImports& opsets() const { return opsets_; }

  /// Throws Error(kModel) for an empty name and one that this scope has already.
  void define(const std::string& name, ValueId value) { define(name, value, graph_); }
  /// Likewise a value of the main graph, which this scope's graph captures when something finds it.
  void define_in_main_graph(const std::string& name, ValueId value) { define(name, value, graph_.outermost()); }
  /// The value of a name, in this scope's graph; kNoValue where a function's caller omitted it.
  /// Throws Error(kModel) when nothing defines it.
  ValueId find(const std::string& name) const;

  /// Gives an attribute parameter of the function its value.
  void bind(const std::string& name, const ScopedAttribute& value) { attributes_.emplace(name, value); }
  /// The attribute itself, or what its reference (ref_attr_name) to a parameter of the function leads to; nullopt
  /// when the caller omitted that. Throws Error(kModel) for a reference outside a function.
  std::optional<ScopedAttribute> resolve(const pb::AttributeProto& attribute) const;

  /// The name under which a node or value is shown: "call/inner" in functions.
  std::string shown_name(const std::string& name) const;
  /// Shows an output of a function under the name that the caller gives it.
  void show_as(const std::string& name, const std::string& shown) {
    texts_.add(shown.size());
    shown_.emplace(name, shown);
  }
  const std::string& prefix() const { return prefix_; }

 private:
  struct Known {
    NestedGraph* home;
    ValueId value;
  };

  void define(const std::string& name, ValueId value, NestedGraph& home);

  NestedGraph& graph_;
  const OpsetImports& opsets_;
  const Scope* around_ = nullptr;
  bool is_function_ = false;
  std::string prefix_;
  CountedMemory texts_;  // of the prefix and of shown names
  SeededMap<std::string_view, Known> values_;
  SeededMap<std::string_view, ScopedAttribute> attributes_;
  SeededMap<std::string_view, std::string> shown_;
};

}  // namespace linnet
