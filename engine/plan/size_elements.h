#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/open_dims.h"

namespace linnet {

/// The small integer values of a class's graph whose elements are expressions over the open dims. A binding has their
/// numbers at once, without the nodes that compute one of the other.
class SizeElements {
 public:
  /// Replaces each of these values of the graph by a constant, which set() gives contents.
  SizeElements(Graph& graph, const OpenDims& open);

  /// Gives the constants of a copy of the graph their contents. False where some element has no number.
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
