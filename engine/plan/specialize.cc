#include "plan/specialize.h"

#include "passes/passes.h"

namespace linnet {

std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs) {
  std::vector<Fact> facts;
  for (const PlanInput& input : inputs) {
    facts.emplace_back(input.dtype, input.shape);
    facts.back().constant = input.value;
  }
  return facts;
}

Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources) {
  const std::vector<Fact> facts = facts_of(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_container(inputs[i].dtype)) graph.set_fact(graph.inputs()[i], facts[i]);
  }
  optimize(graph, resources, true);
  return graph;
}

}  // namespace linnet
