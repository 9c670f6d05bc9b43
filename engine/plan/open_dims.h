#pragma once

#include <optional>
#include <set>
#include <vector>

#include "plan/plan.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The dims that the inputs of a graph leave open. Each is a separate symbol.
class OpenDims {
 public:
  /// Gives a new symbol to each dim of the inputs of `graph` that has no symbol or that of an earlier dim.
  explicit OpenDims(Graph& graph);

  size_t count() const { return places_.size(); }
  const Dim& symbol(size_t i) const { return places_[i].symbol; }
  /// The same dim in another graph with these inputs.
  const Dim& in(const Graph& graph, size_t i) const;
  /// The sizes of the dims in inputs that the graph accepts.
  std::vector<int64_t> sizes(const std::vector<PlanInput>& inputs) const;
  /// The substitution of the symbols by these sizes.
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
