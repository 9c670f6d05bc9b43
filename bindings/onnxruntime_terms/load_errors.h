#pragma once

#include <string>

#include "failure.h"
#include "linnet/error.h"

namespace linnet::ort {

/// Returns the failure that ONNX Runtime reports for a model that does not load. path: of the model; empty for bytes.
Failure load_failure(const Error& error, const std::string& path);

}  // namespace linnet::ort
