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

/// An attribute, and the scope that the names in it belong to.
struct ScopedAttribute {
  const pb::AttributeProto* proto = nullptr;
  const Scope* scope = nullptr;
};

/// Maps names to values: in the main graph, in a body (which sees the names around it), or in a function call (which
/// sees only its own). Values of several scopes may be in one graph. The names passed in are parts of the message and
/// must outlive the scope.
class Scope {
 public:
  /// Makes the scope of the main graph.
  Scope(NestedGraph& graph, const OpsetImports& opsets) : graph_(graph), opsets_(opsets) {}
  /// Makes the scope of a body.
  Scope(NestedGraph& graph, const Scope& around)
      : graph_(graph), opsets_(around.opsets_), around_(&around), prefix_(around.prefix_) {}
  /// Makes the scope of a function call. `prefix` is prepended to the names of its nodes and values.
  Scope(NestedGraph& graph, const OpsetImports& opsets, std::string prefix)
      : graph_(graph), opsets_(opsets), is_function_(true), prefix_(std::move(prefix)) {
    texts_.add(prefix_.size());
  }
  Scope(const Scope&) = delete;

  NestedGraph& nested() const { return graph_; }
  Graph& graph() const { return graph_.graph; }
  const OpsetImports& opsets() const { return opsets_; }

  /// Defines a name. Throws Error(kModel) if it is empty or already defined in this scope.
  void define(const std::string& name, ValueId value) { define(name, value, graph_); }
  /// Defines a name for a value of the main graph. This scope's graph captures the value when find() returns it.
  void define_in_main_graph(const std::string& name, ValueId value) { define(name, value, graph_.outermost()); }
  /// Returns the value of a name in this scope's graph, or kNoValue if a function's caller omitted it.
  /// Throws Error(kModel) if nothing defines it.
  ValueId find(const std::string& name) const;

  /// Sets the value of an attribute parameter of the function.
  void bind(const std::string& name, const ScopedAttribute& value) { attributes_.emplace(name, value); }
  /// Returns the attribute itself, or the one that its reference (ref_attr_name) to a parameter of the function leads
  /// to. Returns nullopt if the caller omitted that. Throws Error(kModel) for a reference outside a function.
  std::optional<ScopedAttribute> resolve(const pb::AttributeProto& attribute) const;

  /// Returns the displayed name of a node or value: "call/inner" in functions.
  std::string shown_name(const std::string& name) const;
  /// Displays an output of a function under the name that the caller gives it.
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
  CountedMemory texts_;  // of the prefix and of displayed names
  SeededMap<std::string_view, Known> values_;
  SeededMap<std::string_view, ScopedAttribute> attributes_;
  SeededMap<std::string_view, std::string> shown_;
};

}  // namespace linnet
