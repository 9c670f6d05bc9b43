#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "linnet/model.h"
#include "quantizer/histogram.h"

namespace linnet {

/// The inputs of runs, each in the order of Model::inputs().
using Samples = std::span<const std::vector<Tensor>>;

/// Returns the graph as a model with all rewrites; the other options are unchanged.
Model rewritten(Graph graph, ModelOptions options);

/// Runs a graph on all samples and calls `see` for each with the tensors of `values`, in their order.
void observe(Graph graph, const ModelOptions& options, const std::vector<ValueId>& values, Samples samples,
             const std::function<void(std::span<const Tensor>)>& see);

/// Returns the range of each group of values over all samples. Throws Error(kModel) if a value is infinite or NaN.
std::vector<ValueRange> calibrate(const Graph& graph, const std::vector<std::vector<ValueId>>& groups, Samples samples,
                                  const QuantizeOptions& options, const ModelOptions& model_options);

}  // namespace linnet
