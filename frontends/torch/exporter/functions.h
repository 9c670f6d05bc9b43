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

/// Returns the functions that nodes of the graph call: custom::my_add if the options request that form.
std::vector<OnnxFunction> used_functions(const OnnxGraph& graph, const ExportOptions& options);

/// Returns the rule that converts an operator to a call of a model function. The body is added to the file later. The
/// operator's arguments must be tensors.
Lowering call_of_function(OnnxOperator function);

}  // namespace linnet::exporter
