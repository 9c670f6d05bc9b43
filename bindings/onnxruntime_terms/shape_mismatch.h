#pragma once

#include <string>

#include "linnet/fact.h"

namespace linnet::ort {

/// Returns ONNX Runtime's message about a tensor whose shape does not fit that of a model's input or output, or an
/// empty text if it fits. A tensor of one element fits a scalar. side: "input" or "output".
std::string shape_mismatch(const char* side, const std::string& name, const Fact& wanted, const Shape& shape);

}  // namespace linnet::ort
