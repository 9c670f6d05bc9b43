#pragma once

#include "graph/graph.h"
#include "linnet/model.h"

namespace linnet {

/// Optimises a graph. Throws what its operators throw.
LINNET_API Model make_model(Graph graph, const ModelOptions& options);

/// The graph as it runs, rewrites done.
LINNET_API const Graph& model_graph(const Model& model);

}  // namespace linnet
