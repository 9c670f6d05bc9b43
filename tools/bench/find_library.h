#pragma once

#include <string>

namespace linnet::tool {

/// The path of ONNX Runtime's library, "libonnxruntime.so" with or without a version suffix, in a folder or its
/// subfolder "capi", as in the Python package. Any other path is returned as it is. Throws Failure(kUsage) if the
/// folder does not contain the library.
std::string find_onnx_runtime(const std::string& path);

}  // namespace linnet::tool
