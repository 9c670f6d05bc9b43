#pragma once

#include <string>

#include "onnx_graph.h"

namespace linnet::exporter {

/// The bytes of an ONNX file with this graph. Throws ExportError beyond the 2 GiB that the format holds.
std::string write_onnx(const OnnxGraph& graph, const ExportOptions& options);

}  // namespace linnet::exporter
