#include "plan/growing_program.h"

#include <algorithm>

#include "passes/passes.h"
#include "plan/extend_line.h"
#include "plan/rows_written.h"

namespace linnet {
namespace {

/// What the facts of an input have in common, dims that grow by as many rows open; nullopt where others differ.
std::optional<Fact> common_fact(const Fact& a, const Fact& b, int64_t rows) {
  if (a.dtype != b.dtype || is_object(a.dtype) || a.rank() != b.rank()) return std::nullopt;
  Fact fact = a;
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t before = a.dim(d).value(), after = b.dim(d).value();
    if (before == after) continue;
    if (after - before != rows || before < kLeastOpenDim) return std::nullopt;
    (*fact.dims)[size_t(d)] = Dim();
  }
  return fact;
}

size_t index_of(const std::vector<ValueId>& values, ValueId value) {
  return size_t(std::find(values.begin(), values.end(), value) - values.begin());
}

ValueId output_of(const Graph& graph, const GrowingState& state) { return graph.outputs()[state.output].value; }

/// The rows that a state has more in `b`.
int64_t gained(const Graph& graph, const GrowingState& state, const std::vector<Fact>& a, const std::vector<Fact>& b) {
  const size_t input = index_of(graph.inputs(), state.input);
  if (a[input].rank() != b[input].rank()) return 0;
  return b[input].dim(state.axis).value() - a[input].dim(state.axis).value();
}

/// By how many rows each state's output is longer than its input; nullopt where that is not known, or not the same.
template <class Facts>
std::optional<int64_t> rows_added(const std::vector<GrowingState>& states, const std::vector<ValueId>& outputs,
                                  const Facts& facts) {
  std::optional<int64_t> rows;
  for (size_t i = 0; i < states.size(); ++i) {
    const Fact &before = facts.fact(states[i].input), &after = facts.fact(outputs[i]);
    if (!before.concrete() || !after.concrete() || before.rank() != after.rank()) return std::nullopt;
    const int64_t more = after.dim(states[i].axis).value() - before.dim(states[i].axis).value();
    if (rows && *rows != more) return std::nullopt;
    rows = more;
  }
  return rows;
}

bool has_columns(const Fact& fact) { return fact.rank() > 0 && certainly_equal(fact.dims->back(), Dim(kCapacity)); }

}  // namespace

GrowingProgram::GrowingProgram(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                               const std::vector<Fact>& b, const std::shared_ptr<const ModelResources>& resources)
    : states_(states), resources_(resources) {
  const int64_t distance = gained(graph, states[0], a, b);
  for (size_t i = 0; i < a.size(); ++i) facts_.push_back(*common_fact(a[i], b[i], distance));
  const Graph first = propagated(graph, a, *resources);
  Graph exact = propagated(graph, b, *resources);
  for (const GrowingState& state : states) outputs_.push_back(output_of(graph, state));
  const auto before = rows_added(states, outputs_, first), now = rows_added(states, outputs_, exact);
  has_equal_steps_ = !before || !now || before == now;
  rows_ = before == now ? now.value_or(0) : 0;
  const Comparison comparison = Registry::Rewrites::of(*graph.registry()).comparison;
  if (!comparison || rows_ < 1) return;
  Graph open = graph;
  assumed_.emplace(open, first, exact, *resources, outputs_);
  extend_line(*assumed_, graph, a, b, *resources);
  optimize(open, *resources);
  optimize(exact, *resources);
  if (comparison(exact, open)) divide(open, resources);
}

void GrowingProgram::divide(const Graph& open, const std::shared_ptr<const ModelResources>& resources) {
  const Growing growing = Registry::Rewrites::of(*open.registry()).growing;
  const auto graphs = growing ? growing(open, states_) : std::nullopt;
  if (!graphs) return;
  find_sources(*graphs, open);
  std::vector<Program::State> in_place;
  for (const GrowingState& state : states_) {
    if (rows_written(graphs->steps, state.input, output_of(graphs->steps, state), state.axis) != rows_) return;
    in_place.push_back({index_of(graphs->steps.inputs(), state.input), state.output, state.axis});
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

bool GrowingProgram::is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const {
  const auto same_state = [](const GrowingState& x, const GrowingState& y) {
    return x.input == y.input && x.output == y.output && x.axis == y.axis;
  };
  return std::equal(states_.begin(), states_.end(), states.begin(), states.end(), same_state) && fits(inputs);
}

bool GrowingProgram::fits(std::span<const Tensor> inputs) const {
  const auto same = [](const Fact& known, const Tensor& tensor) {
    if (known.dtype != tensor.dtype() || known.rank() != tensor.rank()) return false;
    for (int d = 0; d < known.rank(); ++d) {
      const int64_t dim = tensor.dim(d);
      if (known.dim(d).known() ? known.dim(d).value() != dim : dim < kLeastOpenDim) return false;
    }
    return true;
  };
  return std::equal(facts_.begin(), facts_.end(), inputs.begin(), inputs.end(), same);
}

std::optional<int64_t> GrowingProgram::rows_asked(std::span<const Tensor> inputs) {
  if (!steps_ || !fits(inputs)) return std::nullopt;
  if (assumed_->hold_further(inputs)) return rows_;
  std::vector<Fact> facts;
  for (const Tensor& input : inputs) facts.emplace_back(input.dtype(), input.shape());
  const std::lock_guard lock(mutex_);
  if (!assumed_->hold(facts, *resources_)) return std::nullopt;
  const auto rows = rows_added(states_, outputs_, *assumed_);
  return rows == rows_ ? rows : std::nullopt;
}

}  // namespace linnet
