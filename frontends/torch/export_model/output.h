#pragma once

#include "exporter/onnx_graph.h"
#include "options.h"

namespace linnet::exporter {

/// Writes the ONNX file that the options name and prints a description of it to stdout.
void write_output(const OnnxGraph& graph, const Options& options);

}  // namespace linnet::exporter
