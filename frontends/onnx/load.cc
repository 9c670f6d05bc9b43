#include <filesystem>

#include "environment/run_environment.h"
#include "file.h"
#include "linnet/onnx.h"
#include "linnet/registry.h"
#include "model_cache.h"
#include "prepare_model.h"
#include "tensor/memory_errors.h"

namespace linnet {

namespace {

Model load(std::unique_ptr<const ByteSource> source, const std::string& folder, const ModelOptions& options,
           const Registry& registry) {
  return within_load_limits(options.limits, MemoryAccount::current_or(options.limits.memory_bytes), [&] {
    if (!options.cache_dir.empty()) return load_with_cache(std::move(source), folder, options, registry);
    return prepare_model({parse_model(std::move(source), options.limits), {folder, options}, options.limits}, options,
                         registry);
  });
}

}  // namespace

Model load_onnx(const std::string& path, const ModelOptions& options) {
  return load_onnx(path, options, standard_registry());
}

Model load_onnx(const std::string& path, const ModelOptions& options, const Registry& registry) {
  return with_memory_errors(
      "load the model",
      [&] {
        const std::string folder = (std::filesystem::path(path).parent_path() / ".").string();
        return load(std::make_unique<File>(path), folder, options, registry);
      },
      &path);
}

Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options) {
  return load_onnx_fd(fd, folder, options, standard_registry());
}

Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry) {
  return with_memory_errors("load the model",
                            [&] { return load(std::make_unique<File>(fd), folder, options, registry); });
}

Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options) {
  return load_onnx_bytes(bytes, folder, options, standard_registry());
}

Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                      const Registry& registry) {
  return with_memory_errors("load the model",
                            [&] { return load(std::make_unique<MemorySource>(bytes), folder, options, registry); });
}

}  // namespace linnet
