#pragma once

#include <optional>
#include <set>
#include <vector>

#include "plan/plan.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The dims that the inputs of a graph leave open: each is a symbol, and stands for itself alone.
class OpenDims {
 public:
  /// Gives the input dims of `graph` that are no symbols of their own, or the symbol of another, new ones.
  explicit OpenDims(Graph& graph);

  size_t count() const { return places_.size(); }
  const Dim& symbol(size_t i) const { return places_[i].symbol; }
  /// What it is in another graph with these inputs.
  const Dim& in(const Graph& graph, size_t i) const;
  /// Their sizes in inputs that the graph takes.
  std::vector<int64_t> sizes(const std::vector<PlanInput>& inputs) const;
  /// The numbers that take the place of the symbols.
  DimSubstitution numbers(const std::vector<int64_t>& sizes) const;

 private:
  struct Place {
    size_t input;
    int axis;
    Dim symbol;
  };
  std::vector<Place> places_;
};

}  // namespace linnet
