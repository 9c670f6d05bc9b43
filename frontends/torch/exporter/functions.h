#pragma once

#include <string>
#include <vector>

#include "onnx_graph.h"

namespace linnet::exporter {

/// A model function: an operator whose body is in the file.
struct OnnxFunction {
  std::string domain, name;
  Names inputs, outputs;
  std::vector<OnnxNode> nodes;
};

/// The functions that nodes of the graph call: custom::my_add, where options ask for that form.
std::vector<OnnxFunction> used_functions(const OnnxGraph& graph, const ExportOptions& options);

/// The rule by which an operator becomes a call of a model function whose body the file gets later. Its arguments must
/// be tensors.
Lowering call_of_function(OnnxOperator function);

}  // namespace linnet::exporter
