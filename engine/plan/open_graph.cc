#include "plan/open_graph.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "passes/passes.h"
#include "plan/extend_line.h"
#include "plan/share_constants.h"
#include "tensor/same_fact.h"

namespace linnet {
namespace {

/// Whether no dim is less than that of the other.
bool is_larger(const std::vector<PlanInput>& a, const std::vector<PlanInput>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PlanInput& x, const PlanInput& y) {
    return std::equal(x.shape.begin(), x.shape.end(), y.shape.begin(), y.shape.end(), std::greater_equal<>());
  });
}

bool has_moderate_dims(const std::vector<Fact>& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const Fact& input) {
    const Shape shape = input.shape();
    return std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim <= kMostOpenDim; });
  });
}

}  // namespace

std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs) {
  std::vector<Fact> facts;
  for (const PlanInput& input : inputs) {
    facts.emplace_back(input.dtype, input.shape);
    facts.back().constant = input.value;
  }
  return facts;
}

OpenGraph::OpenGraph(const Graph& graph, const std::vector<PlanInput>& a, const std::vector<PlanInput>& b,
                     const ModelResources& resources)
    : OpenGraph(graph, facts_of(is_larger(a, b) ? b : a), facts_of(is_larger(a, b) ? a : b), resources) {}

OpenGraph::OpenGraph(const Graph& graph, const std::vector<Fact>& low, const std::vector<Fact>& high,
                     const ModelResources& resources)
    : graph_(graph),
      assumed_(graph_, propagated(graph, low, resources), propagated(graph, high, resources), resources) {
  extend_line(assumed_, graph, low, high, resources);
  if (has_moderate_dims(low) && has_moderate_dims(high)) graph_.finish();
  optimize(graph_, resources);
  graph_ = graph_.compacted();
  share_constants(graph_, graph, resources);
}

std::optional<OpenGraph::Bound> OpenGraph::bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::lock_guard lock(mutex_);
  if (!take(inputs, resources)) return std::nullopt;
  return Bound{graph_, latest_plan_.lock()};
}

void OpenGraph::set_latest_plan(const std::shared_ptr<const Plan>& plan) {
  const std::lock_guard lock(mutex_);
  latest_plan_ = plan;
}

bool OpenGraph::take(const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::vector<Fact> facts = facts_of(inputs);
  if (!assumed_.hold_further(inputs) && !assumed_.hold(facts, resources)) return false;
  set_facts(facts, resources);
  return true;
}

void OpenGraph::set_facts(const std::vector<Fact>& inputs, const ModelResources& resources) {
  std::vector<bool> changed(size_t(graph_.value_count()), !std::exchange(is_bound_, false));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId input = graph_.inputs()[i];
    if (same_fact(inputs[i], graph_.fact(input))) continue;
    changed[size_t(input)] = true;
    graph_.set_fact(input, inputs[i]);
  }
  update_facts(graph_, changed, resources);
  is_bound_ = true;
}

}  // namespace linnet
