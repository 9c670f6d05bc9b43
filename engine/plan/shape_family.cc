#include "plan/shape_family.h"

#include <algorithm>
#include <bit>

#include "graph/rewrite.h"
#include "passes/passes.h"
#include "plan/single_steps.h"

namespace linnet {
namespace {

int power_of_two(int64_t dim) { return dim < 2 ? int(dim) : int(std::bit_width(uint64_t(dim) - 1)) + 1; }

bool resemble(const std::vector<int>& a, const std::vector<int>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](int x, int y) { return x == y || (x >= kLeastOpenDim && y >= kLeastOpenDim); });
}

}  // namespace

Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::vector<Fact> facts = facts_of(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_container(inputs[i].dtype)) graph.set_fact(graph.inputs()[i], facts[i]);
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

bool ShapeFamily::may_lend_to(const ShapeFamily& other) const {
  return open_ && std::equal(sizes_.begin(), sizes_.end(), other.sizes_.begin(), other.sizes_.end(), resemble);
}

std::shared_ptr<const Plan> ShapeFamily::make(const Graph& graph, std::vector<PlanInput> inputs,
                                              const std::shared_ptr<const ModelResources>& resources,
                                              const RunEnvironment* run) {
  std::optional<Graph> own = own_graph(graph, inputs, *resources);
  if (own) return make_plan(std::move(*own), std::move(inputs), resources, {.run = run});
  const std::shared_ptr<const Plan> like = open_->latest_plan();
  auto plan = make_plan(open_->graph(), std::move(inputs), resources, {.run = run, .like = like.get()});
  open_->set_latest_plan(plan);
  return plan;
}

std::optional<Graph> ShapeFamily::own_graph(const Graph& graph, const std::vector<PlanInput>& inputs,
                                            const ModelResources& resources) {
  const bool is_first = first_.empty(), is_compared = open_ && !is_first;
  if (is_compared && open_->bind(inputs, resources)) return std::nullopt;
  if (!is_first && !open_ && alike_) open_ = std::make_shared<OpenGraph>(graph, first_, inputs, resources);
  Graph exact = specialized(graph, inputs, resources);
  if (is_first) first_ = inputs;  // only those that the graph takes
  if (!open_ || is_compared) return exact;
  const Comparison comparison = Registry::Rewrites::comparison_of(*graph.registry());
  if (comparison && open_->bind(inputs, resources) && comparison(exact, open_->graph())) return std::nullopt;
  open_ = nullptr;
  alike_ = is_first;  // one of its own may be
  return exact;
}

}  // namespace linnet
