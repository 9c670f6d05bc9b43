#include "plan/open_dims.h"

namespace linnet {

OpenDims::OpenDims(Graph& graph) {
  AtomSet taken;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    Fact fact = graph.fact(graph.inputs()[i]);
    if (!fact.present() || fact.element || !fact.has_rank()) continue;
    for (int d = 0; d < fact.rank(); ++d) {
      Dim& dim = (*fact.dims)[size_t(d)];
      if (dim.known()) continue;
      if (!is_symbol(dim) || taken.contains(*Polynomial::atom_of(dim))) dim = Dim::fresh();
      taken.insert(*Polynomial::atom_of(dim));
      places_.push_back({i, d, dim});
    }
    graph.set_fact(graph.inputs()[i], std::move(fact));
  }
}

const Dim& OpenDims::in(const Graph& graph, size_t i) const {
  return graph.fact(graph.inputs()[places_[i].input]).dim(places_[i].axis);
}

std::vector<int64_t> OpenDims::sizes(const std::vector<PlanInput>& inputs) const {
  std::vector<int64_t> sizes;
  for (const Place& place : places_) sizes.push_back(inputs[place.input].shape[place.axis]);
  return sizes;
}

DimSubstitution OpenDims::numbers(const std::vector<int64_t>& sizes) const {
  DimSubstitution numbers;
  for (size_t i = 0; i < sizes.size(); ++i) numbers.add(places_[i].symbol, sizes[i]);
  return numbers;
}

}  // namespace linnet
