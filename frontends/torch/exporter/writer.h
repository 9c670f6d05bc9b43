#pragma once

#include <functional>
#include <string>

#include "onnx_graph.h"

namespace linnet_onnx {
class ModelProto;
class TensorProto;
}  // namespace linnet_onnx

namespace linnet::exporter {

/// Takes the elements of a weight, whose message has name, dtype and dims; false: they go into the message.
using WeightSink = std::function<bool(const Tensor& weight, linnet_onnx::TensorProto& message)>;

/// The graph as a message of ONNX.
void write_model(const OnnxGraph& graph, const ExportOptions& options, const WeightSink& sink,
                 linnet_onnx::ModelProto& model);

/// Writes an ONNX file with this graph. With `external_data`, and where the format's 2 GiB do not hold them, the
/// weights go to a file of their own, PATH.data. Throws ExportError where a file cannot be written.
void write_onnx(const OnnxGraph& graph, const ExportOptions& options, const std::string& path, bool external_data);

}  // namespace linnet::exporter
