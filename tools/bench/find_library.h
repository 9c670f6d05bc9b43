#pragma once

#include <string>

namespace linnet::tool {

/// The library of ONNX Runtime in a folder or its "capi", as the Python package has it: "libonnxruntime.so", with a
/// version behind it or none. Any other path is the library itself. Throws Failure(kUsage) where the folder has none.
std::string find_onnx_runtime(const std::string& path);

}  // namespace linnet::tool
