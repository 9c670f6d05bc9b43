#pragma once

#include <map>
#include <vector>

#include "graph/patch.h"

namespace linnet {

/// Writes the nodes of a graph into a patch of another.
class Inliner {
 public:
  /// `inputs`: what stands there for the graph's inputs.
  Inliner(const Graph& inner, const std::vector<ValueId>& inputs, Patch& patch);

  /// The value outside that a value of the inner graph has become.
  ValueId outer(ValueId value);

 private:
  void add(const Node& node);

  const Graph& inner_;
  Patch& patch_;
  std::map<ValueId, ValueId> values_;
};

}  // namespace linnet
