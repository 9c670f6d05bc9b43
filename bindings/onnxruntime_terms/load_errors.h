#pragma once

#include <string>

#include "failure.h"
#include "linnet/error.h"

namespace linnet::ort {

/// What ONNX Runtime reports where a model does not load, for Linnet's error. path: of the model; empty for bytes.
Failure load_failure(const Error& error, const std::string& path);

}  // namespace linnet::ort
