#pragma once

#include <unordered_set>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Addresses of constants.
using ConstantSet = std::unordered_set<const void*>;

/// The addresses of a graph's constants.
ConstantSet constants_of(const Graph& graph);

/// Replaces constants of a graph, except those in `known`, by equal ones of the model's other graphs.
void share_constants(Graph& graph, const ConstantSet& known, const ModelResources& resources);

}  // namespace linnet
