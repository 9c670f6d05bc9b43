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
  /// `counted` counts the memory of nodes and values, including those of bodies. It must outlive this graph.
  NestedGraph(std::shared_ptr<const Registry> registry, CountedMemory& counted)
      : graph(std::move(registry)), counted_(counted) {}
  /// Makes a body of a node of `outer`. `captures` are the values of `outer` that this node's bodies have read so far.
  NestedGraph(NestedGraph& outer, std::vector<ValueId>& captures)
      : graph(outer.graph.registry()), counted_(outer.counted_), outer_(&outer), captures_(&captures) {}

  /// Returns the value of this graph that represents `value` of `home`, which is this graph or one around it. The value
  /// becomes an input of this body, and of the bodies in between.
  ValueId import(const NestedGraph& home, ValueId value);
  /// The main graph.
  NestedGraph& outermost() { return outer_ ? outer_->outermost() : *this; }
  /// Counts memory besides tensors for the lifetime of the model. Throws Error(kLimit) beyond the limit.
  void count(size_t bytes) const { counted_.add(bytes); }
  /// Counts the memory of a value of this name.
  void count_value(const std::string& name) const { counted_.add(kValueBytes + name.size()); }
  /// Adds the missing inputs for captures that the node's other bodies have made.
  void add_capture_inputs();

  Graph graph;

 private:
  static constexpr size_t kValueBytes = sizeof(Value) + 256;  // includes its dims, and what graphs store for each value

  CountedMemory& counted_;
  NestedGraph* outer_ = nullptr;
  std::vector<ValueId>* captures_ = nullptr;
  size_t inputs_added_ = 0;              // the number of captures that have an input here
  std::map<ValueId, ValueId> imported_;  // values of outer_ to values here
};

}  // namespace linnet
