#pragma once

#include <string>

#include "linnet/error.h"

namespace linnet::ort {

/// Throws what ONNX Runtime reports where a model does not load, for Linnet's error. path: of the model; empty for
/// bytes.
[[noreturn]] void throw_load_failure(const Error& error, const std::string& path);

}  // namespace linnet::ort
