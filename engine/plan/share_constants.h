#pragma once

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Replaces constants of a plan's graph, but for those of the program that it is made of, by equal ones of other plans.
void share_constants(Graph& graph, const Graph& program, const ModelResources& resources);

}  // namespace linnet
