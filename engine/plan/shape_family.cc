#include "plan/shape_family.h"

#include <algorithm>
#include <bit>

#include "graph/rewrite.h"
#include "passes/passes.h"
#include "plan/extend_line.h"
#include "plan/share_constants.h"

namespace linnet {
namespace {

int power_of_two(int64_t dim) { return dim < 2 ? int(dim) : int(std::bit_width(uint64_t(dim) - 1)) + 1; }

bool resemble(const std::vector<int>& a, const std::vector<int>& b) {
  static const int most = power_of_two(kMostOpenDim);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](int x, int y) {
    return x == y || (x >= kLeastOpenDim && y >= kLeastOpenDim && (x > most) == (y > most));
  });
}

}  // namespace

Graph one_of_many(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  Graph result = specialized(graph, inputs, resources);
  share_constants(result, graph, resources);
  return result;
}

Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::vector<Fact> facts = facts_of(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_container(inputs[i].dtype)) graph.set_fact(graph.inputs()[i], facts[i]);
  }
  optimize(graph, resources);
  return graph.compacted();
}

std::shared_ptr<ShapeFamily> ShapeFamily::of(const Graph& graph, const std::vector<PlanInput>& inputs) {
  auto family = std::make_shared<ShapeFamily>();
  bool open = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].value || inputs[i].type.present()) return nullptr;
    std::vector<int>& sizes = family->sizes_.emplace_back();
    for (const int64_t dim : inputs[i].shape) sizes.push_back(power_of_two(dim));
    open = open || !graph.fact(graph.inputs()[i]).concrete();
  }
  return open ? family : nullptr;
}

bool ShapeFamily::may_lend_to(const ShapeFamily& other) const {
  return shared_graph() && std::equal(sizes_.begin(), sizes_.end(), other.sizes_.begin(), other.sizes_.end(), resemble);
}

std::shared_ptr<OpenGraph> ShapeFamily::shared_graph() const {
  const std::lock_guard lock(sharing_);
  return shared_;
}

void ShapeFamily::share_graph() {
  const std::lock_guard lock(sharing_);
  shared_ = open_;
}

std::shared_ptr<const Plan> ShapeFamily::make(const Graph& graph, std::vector<PlanInput> inputs,
                                              const std::shared_ptr<const ModelResources>& resources,
                                              const RunEnvironment* run) {
  Source from = source(graph, inputs, *resources);
  auto plan = make_plan(std::move(from.graph), std::move(inputs), resources, {.run = run, .like = from.like.get()});
  if (from.open) from.open->set_latest_plan(plan);
  return plan;
}

ShapeFamily::Source ShapeFamily::source(const Graph& graph, const std::vector<PlanInput>& inputs,
                                        const ModelResources& resources) {
  if (const auto open = shared_graph()) {
    auto bound = open->bind(inputs, resources);
    if (!bound) return {one_of_many(graph, inputs, resources)};
    share_constants(bound->graph, graph, resources);
    return {std::move(bound->graph), std::move(bound->like), open};
  }
  const std::unique_lock learning(learning_, std::try_to_lock);
  return learning ? learn(graph, inputs, resources) : Source{one_of_many(graph, inputs, resources)};
}

ShapeFamily::Source ShapeFamily::learn(const Graph& graph, const std::vector<PlanInput>& inputs,
                                       const ModelResources& resources) {
  const bool is_first = first_.empty();
  if (!is_first && !open_ && alike_) open_ = std::make_shared<OpenGraph>(graph, first_, inputs, resources);
  Graph exact = one_of_many(graph, inputs, resources);
  if (is_first) first_ = inputs;  // only those that the graph takes
  if (!open_) return {std::move(exact)};
  const Comparison comparison = Registry::Rewrites::of(*graph.registry()).comparison;
  auto bound = comparison ? open_->bind(inputs, resources) : std::nullopt;
  if (bound && comparison(exact, bound->graph)) {
    share_graph();
    share_constants(bound->graph, graph, resources);
    return {std::move(bound->graph), std::move(bound->like), open_};
  }
  open_ = nullptr;
  alike_ = is_first;  // one of its own may be
  return {std::move(exact)};
}

}  // namespace linnet
