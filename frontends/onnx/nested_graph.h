#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/counted_memory.h"

namespace linnet {

/// A graph under construction that may read values of the graphs around it.
class NestedGraph {
 public:
  /// `counted` counts what its nodes and values take, and those of its bodies; it must outlive them.
  NestedGraph(std::shared_ptr<const Registry> registry, CountedMemory& counted)
      : graph(std::move(registry)), counted_(counted) {}
  /// A body of a node of `outer`; `captures` are the values of `outer` that this node's bodies read so far.
  NestedGraph(NestedGraph& outer, std::vector<ValueId>& captures)
      : graph(outer.graph.registry()), counted_(outer.counted_), outer_(&outer), captures_(&captures) {}

  /// The value of this graph that stands for `value` of `home`, which is this graph or one around it: it becomes an
  /// input of this body, and of the bodies in between.
  ValueId import(const NestedGraph& home, ValueId value);
  /// The main graph.
  NestedGraph& outermost() { return outer_ ? outer_->outermost() : *this; }
  /// Counts memory beside tensors, as long as the model lives. Throws Error(kLimit) where that is too much.
  void count(size_t bytes) const { counted_.add(bytes); }
  /// Counts a value of this name.
  void count_value(const std::string& name) const { counted_.add(kValueBytes + name.size()); }
  /// Adds an input for every capture that has none yet: those of the node's other bodies.
  void add_capture_inputs();

  Graph graph;

 private:
  static constexpr size_t kValueBytes = sizeof(Value) + 256;  // with its dims, and what graphs keep for each

  CountedMemory& counted_;
  NestedGraph* outer_ = nullptr;
  std::vector<ValueId>* captures_ = nullptr;
  size_t inputs_added_ = 0;              // how many captures have their input here
  std::map<ValueId, ValueId> imported_;  // values of outer_ to values here
};

}  // namespace linnet
