#include "plan/open_graph.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "passes/passes.h"
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

/// Calls f(input, axis) for each dim in which the two differ.
template <class F>
void for_open_dims(const std::vector<PlanInput>& low, const std::vector<PlanInput>& high, const F& f) {
  for (size_t i = 0; i < low.size(); ++i) {
    for (int d = 0; d < low[i].shape.rank(); ++d) {
      if (low[i].shape[d] != high[i].shape[d]) f(i, d);
    }
  }
}

/// Whether all dims that differ are larger by the same.
bool are_steps_apart(const std::vector<PlanInput>& low, const std::vector<PlanInput>& high) {
  int64_t distance = 0;
  bool same = true;
  for_open_dims(low, high, [&](size_t i, int d) {
    const int64_t more = high[i].shape[d] - low[i].shape[d];
    same &= more > 0 && (distance == 0 || more == distance);
    distance = more;
  });
  return same && distance > 0;
}

/// `low` with so much more in each dim in which `high` differs.
std::vector<PlanInput> moved(std::vector<PlanInput> low, const std::vector<PlanInput>& high, int64_t more) {
  for_open_dims(std::vector(low), high, [&](size_t i, int d) { low[i].shape[d] += more; });
  return low;
}

int64_t least_open_dim(const std::vector<PlanInput>& low, const std::vector<PlanInput>& high) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for_open_dims(low, high, [&](size_t i, int d) { least = std::min(least, low[i].shape[d]); });
  return least;
}

bool has_moderate_dims(const std::vector<PlanInput>& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const PlanInput& input) {
    return std::all_of(input.shape.begin(), input.shape.end(), [](int64_t dim) { return dim <= kMostOpenDim; });
  });
}

Graph propagated(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::vector<Fact> facts = facts_of(inputs);
  for (size_t i = 0; i < facts.size(); ++i) graph.set_fact(graph.inputs()[i], facts[i]);
  propagate_facts(graph, resources);
  return graph;
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
    : graph_(graph),
      assumed_(graph_, propagated(graph, is_larger(a, b) ? b : a, resources),
               propagated(graph, is_larger(a, b) ? a : b, resources), resources) {
  take_single_steps(graph, is_larger(a, b) ? b : a, is_larger(a, b) ? a : b, resources);
  if (has_moderate_dims(a) && has_moderate_dims(b)) graph_.finish();
  optimize(graph_, resources);
  graph_ = graph_.compacted();
  share_constants(graph_, graph, resources);
}

void OpenGraph::take_single_steps(const Graph& graph, const std::vector<PlanInput>& low,
                                  const std::vector<PlanInput>& high, const ModelResources& resources) {
  if (!are_steps_apart(low, high)) return;
  for (const int64_t back : {least_open_dim(low, high) - kLeastOpenDim, int64_t{0}}) {
    try {
      const Graph first = propagated(graph, moved(low, high, -back), resources);
      if (assumed_.set_line(first, propagated(graph, moved(low, high, 1 - back), resources))) return;
    } catch (const Error& error) {  // sizes that nobody asked for may not fit
      if (error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kCancelled) throw;
    }
  }
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
