#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/open_dims.h"

namespace linnet {

/// The small integer values of a class's graph whose elements are expressions over the open dims. A bound graph gets
/// their numbers directly, without the nodes that compute them.
class SizeElements {
 public:
  /// Replaces each of these values of the graph by a constant, whose contents set() sets.
  SizeElements(Graph& graph, const OpenDims& open);

  /// Sets the contents of these constants in a copy of the graph. False if some element has no number.
  bool set(Graph& graph, const DimSubstitution& numbers) const;

 private:
  class Cutter;
  struct Value {
    ValueId id;
    Fact fact;
    std::vector<size_t> elements;  // each one of expressions_
  };
  std::vector<Dim> expressions_;  // each once
  std::vector<Value> values_;
};

}  // namespace linnet
