#pragma once

#include <string>

#include "linnet/fact.h"

namespace linnet::ort {

/// What ONNX Runtime reports of a tensor whose shape is not that of a model's input or output; empty where it fits. A
/// tensor of one element fits a scalar. side: "input" or "output".
std::string shape_mismatch(const char* side, const std::string& name, const Fact& wanted, const Shape& shape);

}  // namespace linnet::ort
