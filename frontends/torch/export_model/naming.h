#pragma once

#include "exporter/onnx_graph.h"
#include "options.h"

namespace linnet::exporter {

/// Gives inputs, outputs and symbols of sizes the names that the options ask for, and takes states away. Throws
/// Failure(kUsage) where there are not as many names as inputs or outputs, or a symbol is not there.
void apply_naming(OnnxGraph& graph, const Options& options);

}  // namespace linnet::exporter
