#pragma once

#include <map>
#include <vector>

#include "graph/patch.h"

namespace linnet {

/// Copies the nodes of a graph into a patch of another graph.
class Inliner {
 public:
  /// `inputs` replace the inputs of `inner`. Keeps references to `inner` and `patch`.
  Inliner(const Graph& inner, const std::vector<ValueId>& inputs, Patch& patch);

  /// The value of the patched graph that corresponds to a value of the inner graph.
  ValueId outer(ValueId value);

 private:
  void add(const Node& node);

  const Graph& inner_;
  Patch& patch_;
  std::map<ValueId, ValueId> values_;
};

}  // namespace linnet
