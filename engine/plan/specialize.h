#pragma once

#include "plan/plan.h"

namespace linnet {

/// The facts that are known of inputs.
std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs);

/// The graph for these inputs, with their facts, optimised again.
Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);

}  // namespace linnet
