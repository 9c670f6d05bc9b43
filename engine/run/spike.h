#pragma once
#include "compile/model_resources.h"
#include "graph/graph.h"
namespace linnet {
void spike_compare(Graph raw, const Graph& optimized, const ModelResources& resources);
}
