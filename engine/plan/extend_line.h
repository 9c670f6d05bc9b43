#pragma once

#include <vector>

#include "plan/assumed_dims.h"

namespace linnet {

/// The least size of a dim that may be open: 0 and 1 stand for themselves.
inline constexpr int kLeastOpenDim = 2;

/// Lets `assumed` hold further for every size from the least one on that resembles both, or from `low`, where all dims
/// in which the inputs of `graph` differ do so by the same number, and operators tell that dims grow linearly.
void extend_line(AssumedDims& assumed, const Graph& graph, const std::vector<Fact>& low, const std::vector<Fact>& high,
                 const ModelResources& resources);

/// The graph with the facts that follow from those of its inputs.
Graph propagated(Graph graph, const std::vector<Fact>& inputs, const ModelResources& resources);

}  // namespace linnet
