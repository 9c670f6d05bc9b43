#include "bench/find_library.h"

#include <filesystem>

#include "command/failure.h"

namespace linnet::tool {

std::string find_onnx_runtime(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return path;
  for (const fs::path& folder : {fs::path(path), fs::path(path) / "capi"}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("libonnxruntime.so")) return entry.path().string();
    }
  }
  throw Failure(ExitCode::kUsage, "--vs-ort: " + path + " and its folder capi hold no libonnxruntime.so");
}

}  // namespace linnet::tool
