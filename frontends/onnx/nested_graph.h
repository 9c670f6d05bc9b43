#pragma once

#include <map>
#include <memory>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// A graph under construction that may read values of the graphs around it.
class NestedGraph {
 public:
  explicit NestedGraph(std::shared_ptr<const Registry> registry) : graph(std::move(registry)) {}
  /// A body of a node of `outer`; `captures` are the values of `outer` that this node's bodies read so far.
  NestedGraph(NestedGraph& outer, std::vector<ValueId>& captures)
      : graph(outer.graph.registry()), outer_(&outer), captures_(&captures) {}

  /// The value of this graph that stands for `value` of `home`, which is this graph or one around it: it becomes an
  /// input of this body, and of the bodies in between.
  ValueId import(const NestedGraph& home, ValueId value);
  /// The main graph.
  NestedGraph& outermost() { return outer_ ? outer_->outermost() : *this; }
  /// Adds an input for every capture that has none yet: those of the node's other bodies.
  void add_capture_inputs();

  Graph graph;

 private:
  NestedGraph* outer_ = nullptr;
  std::vector<ValueId>* captures_ = nullptr;
  size_t inputs_added_ = 0;              // how many captures have their input here
  std::map<ValueId, ValueId> imported_;  // values of outer_ to values here
};

}  // namespace linnet
