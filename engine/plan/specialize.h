#pragma once

#include "plan/plan.h"

namespace linnet {

/// What is known of inputs.
std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs);

/// The graph for these inputs: with their facts, and optimised once more.
Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);

/// One of many graphs that are made of a program's: constants that are equal to those of the others are shared.
Graph one_of_many(Graph graph, const Graph& program, const ModelResources& resources);

}  // namespace linnet
