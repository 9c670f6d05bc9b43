#pragma once

#include <string>

#include "linnet/registry.h"

namespace linnet::python {

/// Adds the operators of a shared library that was written for Linnet (with LINNET_OPERATOR_LIBRARY) or for ONNX
/// Runtime (with a function RegisterCustomOps). Throws as Registry::load_library() does, and Error(kUnsupported) if the
/// package lacks Linnet's libonnxruntime.so.1.
void add_operator_library(Registry& registry, const std::string& path);

}  // namespace linnet::python
