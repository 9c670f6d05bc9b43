#include "plan/shape_family.h"

#include <algorithm>
#include <bit>

#include "graph/rewrite.h"
#include "passes/passes.h"
#include "tensor/same_fact.h"

namespace linnet {
namespace {

int power_of_two(int64_t dim) { return dim < 2 ? int(dim) : int(std::bit_width(uint64_t(dim) - 1)) + 1; }

Fact fact_of(const PlanInput& input) {
  Fact fact(input.dtype, input.shape);
  fact.constant = input.value;
  return fact;
}

std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs) {
  std::vector<Fact> facts;
  for (const PlanInput& input : inputs) facts.push_back(fact_of(input));
  return facts;
}

Graph with_inputs(Graph graph, const std::vector<Fact>& facts) {
  for (size_t i = 0; i < facts.size(); ++i) graph.set_fact(graph.inputs()[i], facts[i]);
  return graph;
}

}  // namespace

Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_container(inputs[i].dtype)) graph.set_fact(graph.inputs()[i], fact_of(inputs[i]));
  }
  optimize(graph, resources);
  return graph;
}

std::optional<ShapeFamily> ShapeFamily::of(const Graph& graph, const std::vector<PlanInput>& inputs) {
  ShapeFamily family;
  bool open = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].value || inputs[i].type.present()) return std::nullopt;
    std::vector<int>& sizes = family.sizes_.emplace_back();
    for (const int64_t dim : inputs[i].shape) sizes.push_back(power_of_two(dim));
    open = open || !graph.fact(graph.inputs()[i]).concrete();
  }
  return open ? std::optional(std::move(family)) : std::nullopt;
}

std::shared_ptr<const Plan> ShapeFamily::make(const Graph& graph, std::vector<PlanInput> inputs,
                                              const std::shared_ptr<const ModelResources>& resources,
                                              const RunEnvironment* run) {
  Graph own = specialized(graph, inputs, *resources);
  const std::shared_ptr<const Plan> like = is_used_ ? latest_.lock() : nullptr;
  auto plan = make_plan(std::move(own), std::move(inputs), resources, {.run = run, .like = like.get()});
  if (is_used_) latest_ = plan;
  return plan;
}

Graph ShapeFamily::specialized(const Graph& graph, const std::vector<PlanInput>& inputs,
                               const ModelResources& resources) {
  is_used_ = false;
  if (first_.empty()) {
    first_ = inputs;
    return linnet::specialized(graph, inputs, resources);
  }
  const bool new_one = !bound_;
  if (new_one && alike_) open(graph, inputs, resources);
  if (!alike_ || !assumed_->hold(facts_of(inputs), resources)) return linnet::specialized(graph, inputs, resources);
  bind(inputs, resources);
  if (new_one) {
    Graph exact = linnet::specialized(graph, inputs, resources);
    const Comparison comparison = Registry::Rewrites::comparison_of(*graph.registry());
    alike_ = comparison && comparison(exact, *bound_);
    if (!alike_) return exact;
  }
  is_used_ = true;
  return *bound_;
}

void ShapeFamily::open(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const auto propagated = [&](const std::vector<PlanInput>& some) {
    Graph result = with_inputs(graph, facts_of(some));
    propagate_facts(result, resources);
    return result;
  };
  Graph open = graph;
  assumed_.emplace(open, propagated(first_), propagated(inputs), resources);
  optimize(open, resources);
  bound_ = std::move(open);
}

void ShapeFamily::bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  Graph& graph = *bound_;
  std::vector<bool> changed(size_t(graph.value_count()), !std::exchange(is_bound_, false));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId input = graph.inputs()[i];
    Fact fact = fact_of(inputs[i]);
    if (same_fact(fact, graph.fact(input))) continue;
    changed[size_t(input)] = true;
    graph.set_fact(input, std::move(fact));
  }
  update_facts(graph, changed, resources);
  is_bound_ = true;
}

}  // namespace linnet
