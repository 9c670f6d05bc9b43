#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "linnet/model.h"
#include "quantizer/histogram.h"

namespace linnet {

/// Inputs of runs, each in the order of Model::inputs().
using Samples = std::span<const std::vector<Tensor>>;

/// The graph as a model with all rewrites, and otherwise the options given.
Model rewritten(Graph graph, ModelOptions options);

/// Runs a graph on all samples and calls `see` with these values, in their order, for each.
void observe(Graph graph, const ModelOptions& options, const std::vector<ValueId>& values, Samples samples,
             const std::function<void(std::span<const Tensor>)>& see);

/// The range of each group of values over all samples. Throws Error(kModel) where a value is infinite or NaN.
std::vector<ValueRange> calibrate(const Graph& graph, const std::vector<std::vector<ValueId>>& groups, Samples samples,
                                  const QuantizeOptions& options, const ModelOptions& model_options);

}  // namespace linnet
