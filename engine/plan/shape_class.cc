#include "plan/shape_class.h"

#include <algorithm>

#include "passes/passes.h"
#include "plan/specialize.h"
#include "tensor/dim_range.h"
#include "tensor/polynomial.h"

namespace linnet {
namespace {

/// The symbol, taken to be 2 or more: other rules hold for 0 and 1.
Dim assumed_large(const Dim& symbol) {
  const Atom& atom = **Polynomial::atom_of(symbol);
  Bounds bounds = atom.bounds;
  bounds.assumed.low = std::max<int64_t>(bounds.assumed.low, 2);
  return bounded_symbol(atom, bounds);
}

/// Whether an error may be about the sizes that a class is for.
bool is_about_sizes(ErrorKind kind) {
  return kind == ErrorKind::kShape || kind == ErrorKind::kModel || kind == ErrorKind::kType ||
         kind == ErrorKind::kUnsupported;
}

}  // namespace

ShapeClass::ShapeClass(const Graph& program, const OpenDims& open, const Fixed& fixed, const ModelResources& resources)
    : open_(open), fixed_(fixed), graph_(program) {
  DimSubstitution dims;
  Dims symbols;
  for (size_t i = 0; i < open.count(); ++i) {
    const auto number = fixed.find(i);
    dims.add(open.symbol(i), number == fixed.end() ? assumed_large(open.symbol(i)) : Dim(number->second));
    if (number == fixed.end()) symbols.push_back(open.symbol(i));
  }
  substitute_dims(graph_, dims);
  DimScope scope(symbols);
  try {
    optimize(graph_, resources);
    graph_ = one_of_many(std::move(graph_), program, resources);
  } catch (const Error& error) {
    if (!is_about_sizes(error.kind())) throw;
    graph_ = program;
    is_refused_ = true;
  }
  for (size_t i = 0; i < open.count(); ++i) {
    if (scope.is_assumed(open.symbol(i))) assumed_.insert(i);
  }
  conditions_ = scope.conditions();
}

bool ShapeClass::meets_conditions(const std::vector<PlanInput>& inputs) const {
  if (is_refused_) return false;
  const std::vector<int64_t> sizes = open_.sizes(inputs);
  if (std::ranges::any_of(sizes, [](int64_t size) { return size > kUsualSize; })) return false;
  const DimSubstitution numbers = open_.numbers(sizes);
  return std::ranges::all_of(conditions_, [&](const DimScope::Lesson& condition) {
    const Dim a = numbers(condition.a), b = numbers(condition.b);
    return condition.equal ? certainly_equal(a, b) : certainly_at_least(a, b);
  });
}

std::optional<Graph> ShapeClass::bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) const {
  if (!meets_conditions(inputs)) return std::nullopt;
  Graph graph = specialized(graph_, inputs, resources);
  const bool has_grown = graph.value_count() > graph_.value_count() / 4 * 5;
  return has_grown ? graph.compacted() : graph;
}

std::shared_ptr<const Plan> ShapeClass::latest_plan() const {
  const std::lock_guard lock(mutex_);
  return latest_plan_.lock();
}

void ShapeClass::set_latest_plan(const std::shared_ptr<const Plan>& plan) {
  const std::lock_guard lock(mutex_);
  latest_plan_ = plan;
}

}  // namespace linnet
