#include "plan/growing_program.h"

#include <algorithm>

#include "passes/passes.h"
#include "plan/shape_family.h"

namespace linnet {
namespace {

constexpr int64_t kLeastGrowing = 2;  // smaller dims have rules of their own

Graph propagated(Graph graph, const std::vector<Fact>& inputs, const ModelResources& resources) {
  for (size_t i = 0; i < inputs.size(); ++i) graph.set_fact(graph.inputs()[i], inputs[i]);
  propagate_facts(graph, resources);
  return graph;
}

/// What the facts of an input have in common, dims that grow by as many rows open; nullopt where others differ.
std::optional<Fact> common_fact(const Fact& a, const Fact& b, int64_t rows) {
  if (a.dtype != b.dtype || is_object(a.dtype) || a.rank() != b.rank()) return std::nullopt;
  Fact fact = a;
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t before = a.dim(d).value(), after = b.dim(d).value();
    if (before == after) continue;
    if (after - before != rows || before < kLeastGrowing) return std::nullopt;
    (*fact.dims)[size_t(d)] = Dim();
  }
  return fact;
}

size_t index_of(const std::vector<ValueId>& values, ValueId value) {
  return size_t(std::find(values.begin(), values.end(), value) - values.begin());
}

/// The rows that a state has more in `b`.
int64_t gained(const Graph& graph, const GrowingState& state, const std::vector<Fact>& a, const std::vector<Fact>& b) {
  const size_t input = index_of(graph.inputs(), state.input);
  return b[input].dim(state.axis).value() - a[input].dim(state.axis).value();
}

bool has_columns(const Fact& fact) { return fact.rank() > 0 && fact.dims->back() == Dim(kCapacity); }

}  // namespace

GrowingProgram::GrowingProgram(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                               const std::vector<Fact>& b, const std::shared_ptr<const ModelResources>& resources)
    : resources_(resources) {
  new_rows_ = gained(graph, states[0], a, b);
  for (size_t i = 0; i < a.size(); ++i) facts_.push_back(*common_fact(a[i], b[i], new_rows_));
  const Comparison comparison = Registry::Rewrites::comparison_of(*graph.registry());
  if (!comparison) return;
  Graph open = graph;
  assumed_.emplace(open, propagated(graph, a, *resources), propagated(graph, b, *resources), *resources);
  optimize(open, *resources);
  Graph exact = propagated(graph, b, *resources);
  optimize(exact, *resources);
  if (comparison(exact, open)) divide(open, states, resources);
}

void GrowingProgram::divide(const Graph& open, const std::vector<GrowingState>& states,
                            const std::shared_ptr<const ModelResources>& resources) {
  const Growing growing = Registry::Rewrites::growing_of(*open.registry());
  const auto graphs = growing ? growing(open, states) : std::nullopt;
  if (!graphs) return;
  find_sources(*graphs, open);
  std::vector<Program::State> in_place;
  for (const GrowingState& state : states) {
    in_place.push_back({index_of(graphs->steps.inputs(), state.input), state.output});
  }
  sizes_ = std::make_shared<Program>(graphs->sizes, resources);
  steps_ = std::make_shared<Program>(graphs->steps, resources, std::move(in_place));
}

void GrowingProgram::find_sources(const GrowingGraphs& graphs, const Graph& open) {
  std::vector<ValueId> sizes;
  for (const Graph::Output& output : graphs.sizes.outputs()) sizes.push_back(output.value);
  for (const ValueId v : graphs.steps.inputs()) {
    const bool wide = has_columns(graphs.steps.fact(v));
    const size_t size = index_of(sizes, v);
    if (v == graphs.rows) {
      sources_.push_back({Source::Kind::kRows});
    } else if (size < sizes.size()) {
      sources_.push_back({Source::Kind::kSize, size, wide});
    } else {
      sources_.push_back({Source::Kind::kInput, index_of(open.inputs(), v), wide});
    }
  }
}

bool GrowingProgram::have_grown(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                                const std::vector<Fact>& b) {
  if (states.empty() || a.size() != b.size()) return false;
  const int64_t rows = gained(graph, states[0], a, b);
  const auto grow = [&](const GrowingState& state) { return gained(graph, state, a, b) == rows; };
  if (rows <= 0 || !std::all_of(states.begin(), states.end(), grow)) return false;
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](const Fact& x, const Fact& y) { return common_fact(x, y, rows).has_value(); });
}

bool GrowingProgram::is_for(std::span<const Tensor> inputs) const {
  const auto same = [](const Fact& known, const Tensor& tensor) {
    if (known.dtype != tensor.dtype() || known.rank() != tensor.rank()) return false;
    for (int d = 0; d < known.rank(); ++d) {
      const int64_t dim = tensor.dim(d);
      if (known.dim(d).known() ? known.dim(d).value() != dim : dim < kLeastGrowing) return false;
    }
    return true;
  };
  return std::equal(facts_.begin(), facts_.end(), inputs.begin(), inputs.end(), same);
}

bool GrowingProgram::accepts(std::span<const Tensor> inputs) {
  if (!steps_ || !is_for(inputs)) return false;
  if (assumed_->hold_further(inputs)) return true;
  std::vector<Fact> facts;
  for (const Tensor& input : inputs) facts.emplace_back(input.dtype(), input.shape());
  const std::lock_guard lock(mutex_);
  return assumed_->hold(facts, *resources_);
}

}  // namespace linnet
