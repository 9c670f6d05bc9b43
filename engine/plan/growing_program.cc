#include "plan/growing_program.h"

#include <algorithm>
#include <array>

#include "passes/passes.h"
#include "passes/pending_nodes.h"
#include "plan/computations.h"
#include "plan/specialize.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr size_t kMostCounts = 8, kMostSteps = 8;

template <class T>
size_t index_of(const std::vector<T>& values, const T& value) {
  return size_t(std::ranges::find(values, value) - values.begin());
}

/// The number of rows by which a state's output is longer than its input: at least 1, or 0 if it is not known.
int64_t rows_added(const Graph& graph, const GrowingState& state) {
  const Fact &before = graph.fact(state.input), &after = graph.fact(graph.outputs()[state.output].value);
  if (!before.has_rank() || !after.has_rank() || before.rank() != after.rank()) return 0;
  for (int d = 0; d < before.rank(); ++d) {
    if (d != state.axis && !certainly_equal(before.dim(d), after.dim(d))) return 0;
  }
  const Dim more = after.dim(state.axis) - before.dim(state.axis);
  return more.known() ? std::max<int64_t>(more.value(), 0) : 0;
}

/// The substitution of a graph's open dims by numbers, except that dims that make up the rows of states become
/// expressions which give each state its count of rows.
class OpenRows {
 public:
  OpenRows(const OpenDims& open, const std::vector<int64_t>& sizes)
      : open_(open), sizes_(sizes), chosen_(sizes.size()) {}

  /// Makes a state's dim this symbol. False if the dim is not the sum of an open dim and a number.
  bool add(const Dim& dim, const Dim& rows) {
    if (certainly_equal(dims()(dim), rows)) return true;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (!chosen_[i].determined() && choose(i, dim, rows)) return true;
    }
    return false;
  }

  /// Makes open dims of this size equal to `dim`, which currently has that size, for example those of masks, which may
  /// be shorter.
  void tie(int64_t size, const Dim& dim) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (!chosen_[i].determined() && sizes_[i] == size) chosen_[i] = dim;
    }
  }

  DimSubstitution dims() const { return dims_but(sizes_.size()); }

 private:
  bool choose(size_t i, const Dim& dim, const Dim& rows) {
    const auto linear = LinearDim::of(dims_but(i)(dim), {open_.symbol(i)});
    if (!linear || linear->slopes != std::vector<int64_t>{1}) return false;
    chosen_[i] = rows - linear->base;
    return true;
  }

  DimSubstitution dims_but(size_t left_open) const {
    DimSubstitution dims;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (i != left_open) dims.add(open_.symbol(i), chosen_[i].determined() ? chosen_[i] : Dim(sizes_[i]));
    }
    return dims;
  }

  const OpenDims& open_;
  const std::vector<int64_t>& sizes_;
  Dims chosen_;
};

/// Groups the states of `exact` by the number of rows that they have and get; nullopt if one does not grow by a known
/// number.
std::optional<Growth> growth_of(const Graph& exact, const std::vector<GrowingState>& states,
                                std::vector<size_t>& counted) {
  Growth growth{.states = states};
  std::vector<std::pair<int64_t, int64_t>> counts;
  for (const GrowingState& state : states) {
    const std::pair count(exact.fact(state.input).dim(state.axis).value(), rows_added(exact, state));
    if (count.second == 0) return std::nullopt;
    growth.counts.push_back(index_of(counts, count));
    if (growth.counts.back() < counts.size()) continue;
    counted.push_back(growth.counts.size() - 1);
    counts.push_back(count);
    growth.rows.push_back(Dim::fresh());
    growth.added.push_back(count.second);
  }
  if (counts.size() > kMostCounts) return std::nullopt;
  return growth;
}

/// Whether the growing graph's nodes compute floats as those of the graph for numbers do, so that results have equal
/// bits.
bool compute_alike(const Graph& exact, const Graph& open, const GrowingGraph& growing, const Dims& symbols,
                   const std::vector<int64_t>& rows, const ModelResources& resources) {
  Computations wanted, got;
  wanted.add(exact, pending_nodes(exact));
  DimSubstitution sizes;
  for (size_t i = 0; i < rows.size(); ++i) sizes.add(symbols[i], rows[i]);
  got.add(open, growing.others, sizes);
  for (const RowRegion& region : growing.regions) {
    std::vector<PlanInput> inputs;
    for (size_t i = 0; i < region.inputs.size(); ++i) {
      std::vector<int64_t> shape;
      for (const LinearDim& dim : region.inputs[i]) shape.push_back(dim.at(rows).value_or(0));
      inputs.push_back({region.body->fact(region.body->inputs()[i]).dtype, Shape(shape)});
    }
    const Graph bound = specialized(*region.body, inputs, resources);
    got.add(bound, pending_nodes(bound));
  }
  return wanted.equal(got);
}

}  // namespace

GrowingProgram::GrowingProgram(const Graph& program, const ShapeClass& shapes, const std::vector<GrowingState>& states,
                               const std::vector<PlanInput>& inputs,
                               const std::shared_ptr<const ModelResources>& resources)
    : states_(states), resources_(resources), open_(shapes.graph()) {
  std::vector<GrowingState> own;
  for (const GrowingState& state : states) {
    state_inputs_.push_back(index_of(program.inputs(), state.input));
    own.push_back({shapes.graph().inputs()[state_inputs_.back()], state.output, state.axis});
  }
  for (const PlanInput& input : inputs) {
    std::vector<LinearDim>& dims = inputs_.emplace_back(Input{input.dtype, {}}).dims;
    for (const int64_t dim : input.shape) dims.push_back({dim});
  }
  const Graph exact = linnet::specialized(shapes.graph(), inputs, *resources);
  const auto growth = growth_of(exact, own, counted_);
  if (!growth) {
    counted_.clear();
    return;
  }
  growth_ = *growth;
  const std::vector<int64_t> sizes = shapes.open().sizes(inputs);
  OpenRows open(shapes.open(), sizes);
  for (size_t i = 0; i < own.size(); ++i) {
    const Dim& dim = shapes.graph().fact(own[i].input).dim(own[i].axis);
    if (!open.add(dim, growth_.rows[growth_.counts[i]])) return;
  }
  const DimSubstitution plain = open.dims();
  for (size_t i = 0; i < growth_.rows.size(); ++i) {
    const Dim total = growth_.rows[i] + growth_.added[i];
    const GrowingState& state = own[counted_[i]];
    open.tie(exact.fact(state.input).dim(state.axis).value() + growth_.added[i], total);
  }
  open_graph(shapes, open.dims(), exact, inputs);
  if (can_grow_) return;
  const std::vector<Input> tied = inputs_;
  open_graph(shapes, plain, exact, inputs);
  if (!can_grow_) inputs_ = tied;  // so that no further length is tried
}

void GrowingProgram::open_graph(const ShapeClass& shapes, const DimSubstitution& dims, const Graph& exact,
                                const std::vector<PlanInput>& inputs) {
  open_ = shapes.graph();
  DimSubstitution conditions;  // including those of symbols that operators require to equal others
  for (size_t i = 0; i < shapes.open().count(); ++i) {
    conditions.add(shapes.open().symbol(i), dims(shapes.open().in(open_, i)));
  }
  substitute_dims(open_, dims);
  DimScope scope(growth_.rows);
  optimize(open_, *resources_);
  for (size_t i = 0; i < growth_.states.size(); ++i) {
    const GrowingState& state = growth_.states[i];
    const size_t count = growth_.counts[i];
    // Operators may require a certain number of rows.
    if (!certainly_equal(open_.fact(state.input).dim(state.axis), growth_.rows[count])) return;
    if (rows_added(open_, state) != growth_.added[count]) return;
  }
  positive_.clear();
  if (!note_inputs(inputs) || !note_conditions(shapes.conditions(), conditions) ||
      !note_conditions(scope.conditions(), DimSubstitution())) {
    return;
  }
  std::vector<int64_t> rows, capacities;
  for (size_t i = 0; i < growth_.rows.size(); ++i) {
    const GrowingState& state = growth_.states[counted_[i]];
    rows.push_back(exact.fact(state.input).dim(state.axis).value());
    capacities.push_back(checked_add(rows[i], growth_.added[i]));
    if (!scope.is_assumed(growth_.rows[i])) continue;
    positive_.push_back(*LinearDim::of(growth_.rows[i] - 2, growth_.rows));
  }
  const auto graph = growing_graph(open_, growth_, capacities);
  can_grow_ = graph && compute_alike(exact, open_, *graph, growth_.rows, rows, *resources_) &&
              compute_alike_later(shapes, *graph, rows);
}

/// Whether they also do so with more rows. A first run may have 0 rows, which is a special case.
bool GrowingProgram::compute_alike_later(const ShapeClass& shapes, const GrowingGraph& graph,
                                         std::vector<int64_t> rows) const {
  constexpr int64_t kLater = 7;
  for (int64_t& count : rows) count = checked_add(count, kLater);
  std::vector<PlanInput> inputs;
  for (const Input& input : inputs_) {
    std::vector<int64_t> shape;
    for (const LinearDim& dim : input.dims) shape.push_back(dim.at(rows).value_or(-1));
    if (std::ranges::any_of(shape, [](int64_t dim) { return dim < 0; })) return true;
    inputs.push_back({input.dtype, Shape(shape)});
  }
  if (!shapes.meets_conditions(inputs)) return true;
  try {
    const Graph exact = linnet::specialized(shapes.graph(), inputs, *resources_);
    return compute_alike(exact, open_, graph, growth_.rows, rows, *resources_);
  } catch (const Error& error) {
    // An input of fixed length, such as a mask: there are no such runs.
    if (error.kind() == ErrorKind::kCancelled || error.kind() == ErrorKind::kLimit) throw;
    return true;
  }
}

bool GrowingProgram::note_inputs(const std::vector<PlanInput>& inputs) {
  std::vector<Input> noted;
  for (size_t i = 0; i < open_.inputs().size(); ++i) {
    const Fact& fact = open_.fact(open_.inputs()[i]);
    if (!fact.has_rank() || fact.rank() != inputs[i].shape.rank()) return false;
    Input& input = noted.emplace_back(Input{inputs[i].dtype, {}});
    for (const Dim& dim : *fact.dims) {
      auto linear = LinearDim::of(dim, growth_.rows);
      if (!linear) return false;
      input.dims.push_back(std::move(*linear));
    }
  }
  inputs_ = std::move(noted);
  return true;
}

bool GrowingProgram::note_conditions(const std::vector<DimScope::Lesson>& conditions, const DimSubstitution& dims) {
  for (const DimScope::Lesson& condition : conditions) {
    const Dim a = dims(condition.a), b = dims(condition.b);
    if (condition.equal ? certainly_equal(a, b) : certainly_at_least(a, b)) continue;
    const auto more = LinearDim::of(a - b, growth_.rows), less = LinearDim::of(b - a, growth_.rows);
    if (!more || !less) return false;
    positive_.push_back(*more);
    if (condition.equal) positive_.push_back(*less);
  }
  return true;
}

std::shared_ptr<const GrowingProgram::Steps> GrowingProgram::steps(const std::vector<int64_t>& capacities) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(steps_, [&](const auto& each) { return each->capacities == capacities; });
  if (known != steps_.end()) {
    steps_.splice(steps_.begin(), steps_, known);
    return steps_.front();
  }
  auto graph = growing_graph(open_, growth_, capacities);
  if (!graph) return nullptr;
  std::vector<Program::State> in_place;
  for (size_t i = 0; i < growth_.states.size(); ++i) {
    const size_t source = size_t(std::ranges::find(graph->sources, state_inputs_[i], &GrowingGraph::Source::input) -
                                 graph->sources.begin());
    if (source == graph->sources.size()) return nullptr;
    in_place.push_back({source + 1, growth_.states[i].output, growth_.states[i].axis});
  }
  auto program = std::make_shared<Program>(std::move(graph->graph), resources_, std::move(in_place));
  steps_.push_front(std::make_shared<Steps>(Steps{capacities, std::move(program), std::move(graph->sources)}));
  if (steps_.size() > kMostSteps) steps_.pop_back();
  return steps_.front();
}

bool GrowingProgram::is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const {
  const auto same_state = [](const GrowingState& x, const GrowingState& y) {
    return x.input == y.input && x.output == y.output && x.axis == y.axis;
  };
  return std::equal(states_.begin(), states_.end(), states.begin(), states.end(), same_state) && fits(inputs);
}

bool GrowingProgram::reads_rows(std::span<const Tensor> inputs, std::span<int64_t> rows) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t state = counted_[i];
    const Tensor& tensor = inputs[state_inputs_[state]];
    if (tensor.rank() <= states_[state].axis) return false;
    rows[i] = tensor.dim(states_[state].axis);
  }
  return true;
}

bool GrowingProgram::fits(std::span<const Tensor> inputs) const {
  std::array<int64_t, kMostCounts> all;
  const std::span rows(all.data(), counted_.size());
  if (!reads_rows(inputs, rows)) return false;
  const auto same = [&](const Input& known, const Tensor& tensor) {
    return known.dtype == tensor.dtype() &&
           std::equal(known.dims.begin(), known.dims.end(), tensor.shape().begin(), tensor.shape().end(),
                      [&](const LinearDim& dim, int64_t size) { return dim.at(rows) == size; });
  };
  return std::equal(inputs_.begin(), inputs_.end(), inputs.begin(), inputs.end(), same) &&
         std::ranges::all_of(positive_, [&](const LinearDim& each) { return each.at(rows).value_or(-1) >= 0; });
}

}  // namespace linnet
