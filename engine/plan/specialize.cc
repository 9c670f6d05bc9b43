#include "plan/specialize.h"

#include "passes/passes.h"
#include "plan/share_constants.h"

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

Graph one_of_many(Graph graph, const Graph& program, const ModelResources& resources) {
  Graph result = graph.compacted();
  share_constants(result, program, resources);
  return result;
}

}  // namespace linnet
