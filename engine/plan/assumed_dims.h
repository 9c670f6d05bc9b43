#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace linnet {

/// What the dims of a graph's values have in common for two sizes of its inputs, though no rule tells it while dims of
/// the inputs are open: that a dim does not change (the rows of a mask that is made from lengths), that two are equal
/// (its columns and those of the scores). A graph is optimised as if that held for all sizes, and each is checked.
class AssumedDims {
 public:
  /// Writes them to the facts of `open`, inputs included: numbers where both sizes agree, else symbols that all dims
  /// have which are equal in both. a, b: the graph with the facts of the two sizes.
  AssumedDims(Graph& open, const Graph& a, const Graph& b, const ModelResources& resources);

  /// Whether they hold for all inputs whose dims are larger by equal steps: a, b, the next ones.
  bool hold_for_more() const { return linear_; }
  /// Whether they hold for inputs of these facts.
  bool hold(const std::vector<Fact>& inputs, const ModelResources& resources);

 private:
  void add(Graph& open, ValueId value, const Fact& a, const Fact& b);
  void keep_what_tells(const Graph& open);

  std::vector<ValueId> values_;
  std::vector<Dims> dims_;
  Graph telling_;         // the part of the graph that the values depend on
  bool linear_ = false;   // its dims grow by equal steps
  bool current_ = false;  // its facts are those of the inputs asked for last
};

}  // namespace linnet
