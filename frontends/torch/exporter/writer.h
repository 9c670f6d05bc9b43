#pragma once

#include <functional>
#include <string>

#include "onnx_graph.h"

namespace linnet_onnx {
class ModelProto;
class TensorProto;
}  // namespace linnet_onnx

namespace linnet::exporter {

/// Stores the elements of a weight whose message has name, dtype and dims. Returns false if they should be in the
/// message.
using WeightSink = std::function<bool(const Tensor& weight, linnet_onnx::TensorProto& message)>;

/// Converts the graph to an ONNX message.
void write_model(const OnnxGraph& graph, const ExportOptions& options, const WeightSink& sink,
                 linnet_onnx::ModelProto& model);

/// Writes an ONNX file with this graph. With `external_data`, or if the weights exceed the format's 2 GiB, they are
/// written to a separate file, PATH.data. Throws ExportError if a file cannot be written.
void write_onnx(const OnnxGraph& graph, const ExportOptions& options, const std::string& path, bool external_data);

}  // namespace linnet::exporter
