#pragma once

#include <string>

#include "onnx_graph.h"

namespace linnet::exporter {

/// Writes an ONNX file with this graph. With `external_data`, and where the format's 2 GiB do not hold them, the
/// weights go to a file of their own, PATH.data. Throws ExportError where a file cannot be written.
void write_onnx(const OnnxGraph& graph, const ExportOptions& options, const std::string& path, bool external_data);

}  // namespace linnet::exporter
