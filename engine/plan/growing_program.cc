#include "plan/growing_program.h"

#include <algorithm>

#include "passes/passes.h"
#include "plan/rows_written.h"
#include "plan/specialize.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

size_t index_of(const std::vector<ValueId>& values, ValueId value) {
  return size_t(std::find(values.begin(), values.end(), value) - values.begin());
}

ValueId output_of(const Graph& graph, const GrowingState& state) { return graph.outputs()[state.output].value; }

bool has_columns(const Fact& fact) { return fact.rank() > 0 && certainly_equal(fact.dims->back(), Dim(kCapacity)); }

/// What takes the place of a graph's open dims: numbers, and for those that the rows of states consist of what makes
/// each state have `rows`.
class OpenRows {
 public:
  OpenRows(const OpenDims& open, const std::vector<int64_t>& sizes, Dim rows)
      : open_(open), sizes_(sizes), rows_(std::move(rows)), chosen_(sizes.size()) {}

  /// Gives a state's dim these rows. False where it is not the sum of an open dim and a number.
  bool add(const Dim& dim) {
    if (certainly_equal(dims()(dim), rows_)) return true;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (!chosen_[i].determined() && choose(i, dim)) return true;
    }
    return false;
  }

  /// Takes open dims of so many elements to be the same as `dim`, which has as many now: masks that may be shorter.
  void tie(int64_t size, const Dim& dim) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (!chosen_[i].determined() && sizes_[i] == size) chosen_[i] = dim;
    }
  }

  DimSubstitution dims() const { return dims_but(sizes_.size()); }

 private:
  bool choose(size_t i, const Dim& dim) {
    const auto linear = LinearDim::of(dims_but(i)(dim), open_.symbol(i));
    if (!linear || linear->slope != 1) return false;
    chosen_[i] = rows_ - linear->base;
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
  Dim rows_;
  Dims chosen_;
};

/// By how many rows each state's output is longer than its input: 1 or more; 0 where that is not known, or not the
/// same.
int64_t rows_added(const Graph& graph, const std::vector<GrowingState>& states) {
  int64_t rows = 0;
  for (const GrowingState& state : states) {
    const Fact &before = graph.fact(state.input), &after = graph.fact(output_of(graph, state));
    if (!before.has_rank() || !after.has_rank() || before.rank() != after.rank()) return 0;
    const Dim more = after.dim(state.axis) - before.dim(state.axis);
    if (!more.known() || more.value() < 1 || (rows > 0 && more.value() != rows)) return 0;
    rows = more.value();
  }
  return rows;
}

}  // namespace

GrowingProgram::GrowingProgram(const Graph& program, const ShapeClass& shapes, const std::vector<GrowingState>& states,
                               const std::vector<PlanInput>& inputs,
                               const std::shared_ptr<const ModelResources>& resources)
    : states_(states), counted_(index_of(program.inputs(), states[0].input)) {
  for (const GrowingState& state : states) {
    own_.push_back({shapes.graph().inputs()[index_of(program.inputs(), state.input)], state.output, state.axis});
  }
  const std::vector<int64_t> sizes = shapes.open().sizes(inputs);
  const Dim rows = Dim::fresh();
  OpenRows open(shapes.open(), sizes, rows);
  for (const PlanInput& input : inputs) inputs_.push_back(Input::of(input));
  const bool known = std::ranges::all_of(own_, [&](const GrowingState& state) {
    const Fact& fact = shapes.graph().fact(state.input);
    return fact.has_rank() && fact.rank() > state.axis && open.add(fact.dim(state.axis));
  });
  if (!known) return;
  const Graph exact = linnet::specialized(shapes.graph(), inputs, *resources);
  const int64_t added = rows_added(exact, own_);
  if (added == 0) return;
  const DimSubstitution plain = open.dims();
  open.tie(inputs[counted_].shape[own_[0].axis] + added, rows + added);
  open_graph(shapes, open.dims(), rows, exact, resources);
  if (!steps_) open_graph(shapes, plain, rows, exact, resources);
}

void GrowingProgram::open_graph(const ShapeClass& shapes, const DimSubstitution& dims, const Dim& rows,
                                const Graph& exact, const std::shared_ptr<const ModelResources>& resources) {
  Graph open = shapes.graph();
  DimSubstitution conditions;  // also of symbols that are others by what operators demand
  for (size_t i = 0; i < shapes.open().count(); ++i) {
    conditions.add(shapes.open().symbol(i), dims(shapes.open().in(open, i)));
  }
  substitute_dims(open, dims);
  DimScope scope(Dims{rows});
  optimize(open, *resources);
  rows_ = rows_added(open, own_);
  positive_.clear();
  const bool known = note_inputs(open, rows) && note_conditions(shapes.conditions(), conditions, rows) &&
                     note_conditions(scope.conditions(), DimSubstitution(), rows);
  if (rows_ == 0 || !known) return;
  if (!scope.assumed().empty()) positive_.push_back({.base = -2, .slope = 1});
  const Comparison comparison = Registry::Rewrites::of(*open.registry()).comparison;
  if (comparison && comparison(exact, open)) divide(open, resources);
}

GrowingProgram::Input GrowingProgram::Input::of(const PlanInput& input) {
  Input result{input.dtype, {}};
  for (const int64_t dim : input.shape) result.dims.push_back({.base = dim});
  return result;
}

bool GrowingProgram::note_inputs(const Graph& graph, const Dim& rows) {
  std::vector<Input> noted;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Fact& fact = graph.fact(graph.inputs()[i]);
    if (!fact.has_rank() || fact.rank() != int(inputs_[i].dims.size())) return false;
    Input& input = noted.emplace_back(Input{inputs_[i].dtype, {}});
    for (const Dim& dim : *fact.dims) {
      const auto linear = LinearDim::of(dim, rows);
      if (!linear) return false;
      input.dims.push_back(*linear);
    }
  }
  inputs_ = std::move(noted);
  return true;
}

bool GrowingProgram::note_conditions(const std::vector<DimScope::Lesson>& conditions, const DimSubstitution& dims,
                                     const Dim& rows) {
  for (const DimScope::Lesson& condition : conditions) {
    const Dim a = dims(condition.a), b = dims(condition.b);
    if (condition.equal ? certainly_equal(a, b) : certainly_at_least(a, b)) continue;
    const auto difference = LinearDim::of(a - b, rows);
    if (!difference) return false;
    positive_.push_back(*difference);
    if (condition.equal) positive_.push_back({-difference->base, -difference->slope});
  }
  return true;
}

void GrowingProgram::divide(const Graph& open, const std::shared_ptr<const ModelResources>& resources) {
  const Growing growing = Registry::Rewrites::of(*open.registry()).growing;
  const auto graphs = growing ? growing(open, own_) : std::nullopt;
  if (!graphs) return;
  find_sources(*graphs, open);
  std::vector<Program::State> in_place;
  for (const GrowingState& state : own_) {
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

bool GrowingProgram::is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const {
  const auto same_state = [](const GrowingState& x, const GrowingState& y) {
    return x.input == y.input && x.output == y.output && x.axis == y.axis;
  };
  return std::equal(states_.begin(), states_.end(), states.begin(), states.end(), same_state) && fits(inputs);
}

bool GrowingProgram::fits(std::span<const Tensor> inputs) const {
  const Tensor& counted = inputs[counted_];
  if (counted.rank() <= states_[0].axis) return false;
  const int64_t rows = counted.dim(states_[0].axis);
  const auto same = [&](const Input& known, const Tensor& tensor) {
    return known.dtype == tensor.dtype() &&
           std::equal(known.dims.begin(), known.dims.end(), tensor.shape().begin(), tensor.shape().end(),
                      [&](const LinearDim& dim, int64_t size) { return dim.at(rows) == size; });
  };
  return std::equal(inputs_.begin(), inputs_.end(), inputs.begin(), inputs.end(), same) &&
         std::ranges::all_of(positive_, [&](const LinearDim& each) { return each.at(rows).value_or(-1) >= 0; });
}

std::optional<int64_t> GrowingProgram::rows_asked(std::span<const Tensor> inputs) const {
  return steps_ && fits(inputs) ? std::optional(rows_) : std::nullopt;
}

}  // namespace linnet
