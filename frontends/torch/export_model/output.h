#pragma once

#include "exporter/onnx_graph.h"
#include "options.h"

namespace linnet::exporter {

/// Writes the ONNX file that the options name, and says on stdout what it is.
void write_output(const OnnxGraph& graph, const Options& options);

}  // namespace linnet::exporter
