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

/// What all inputs of the family share.
Fact shared_fact(const PlanInput& input, const Fact& as_written) {
  Dims dims(input.shape.begin(), input.shape.end());
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool open = as_written.has_rank() ? !as_written.dim(int(i)).known() : true;
    if (open && dims[i].value() > 1) dims[i] = as_written.has_rank() ? as_written.dim(int(i)) : Dim();
  }
  return Fact(input.dtype, std::move(dims));
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
    open = open || !same_fact(shared_fact(inputs[i], graph.fact(graph.inputs()[i])), fact_of(inputs[i]));
  }
  return open ? std::optional(std::move(family)) : std::nullopt;
}

std::shared_ptr<const Plan> ShapeFamily::make(const Graph& graph, std::vector<PlanInput> inputs,
                                              const std::shared_ptr<const ModelResources>& resources,
                                              const RunEnvironment* run) {
  Graph own = specialized(graph, inputs, *resources);
  const std::shared_ptr<const Plan> like = is_bound_ ? latest_.lock() : nullptr;
  auto plan = make_plan(std::move(own), std::move(inputs), resources, {.run = run, .like = like.get()});
  if (is_bound_) latest_ = plan;
  return plan;
}

Graph ShapeFamily::specialized(const Graph& graph, const std::vector<PlanInput>& inputs,
                               const ModelResources& resources) {
  if (std::exchange(first_, false) || !alike_) return linnet::specialized(graph, inputs, resources);
  if (bound_) {
    bind(inputs, resources);
    return *bound_;
  }
  open(graph, inputs, resources);
  bind(inputs, resources);
  Graph exact = linnet::specialized(graph, inputs, resources);
  const Comparison comparison = Registry::Rewrites::comparison_of(*graph.registry());
  alike_ = comparison && comparison(exact, *bound_);
  if (alike_) return *bound_;
  bound_.reset();
  is_bound_ = false;
  return exact;
}

void ShapeFamily::open(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  Graph shared = graph;
  for (size_t i = 0; i < inputs.size(); ++i) {
    shared.set_fact(graph.inputs()[i], shared_fact(inputs[i], graph.fact(graph.inputs()[i])));
  }
  optimize(shared, resources);
  bound_ = std::move(shared);
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
