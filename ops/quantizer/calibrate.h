#pragma once

#include "quantizer/histogram.h"
#include "quantizer/observe.h"

namespace linnet {

/// The range of each group of values over all samples. Throws Error(kModel) where a value is infinite or NaN.
std::vector<ValueRange> calibrate(const Graph& graph, const std::vector<std::vector<ValueId>>& groups, Samples samples,
                                  const QuantizeOptions& options, const ModelOptions& model_options);

}  // namespace linnet
