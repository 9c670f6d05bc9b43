#pragma once

#include "exporter/onnx_graph.h"
#include "options.h"

namespace linnet::exporter {

/// Renames inputs, outputs and symbols of sizes, and removes states, as the options request. Throws Failure(kUsage) if
/// the number of names differs from the number of inputs or outputs, or a symbol does not exist.
void apply_naming(OnnxGraph& graph, const Options& options);

}  // namespace linnet::exporter
