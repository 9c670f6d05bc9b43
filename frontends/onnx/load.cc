#include "linnet/load.h"

#include <filesystem>

#include "environment/run_environment.h"
#include "file.h"
#include "linnet/onnx.h"
#include "linnet/registry.h"
#include "model_cache.h"
#include "prepare_model.h"
#include "program_file.h"
#include "read_model.h"
#include "tensor/memory_errors.h"

namespace linnet {

namespace {

Model load(std::unique_ptr<const ByteSource> source, Format format, const std::string& folder,
           const ModelOptions& options, const Registry& registry) {
  return within_load_limits(options.limits, MemoryAccount::current_or(options.limits.memory_bytes), [&] {
    if (!options.cache_dir.empty()) return load_with_cache(std::move(source), format, folder, options, registry);
    return prepare_model({read_model(std::move(source), format, options.limits), {folder, options}, options.limits},
                         options, registry);
  });
}

Model load_file(const std::string& path, Format format, const ModelOptions& options, const Registry& registry) {
  return with_memory_errors(
      "load the model",
      [&] {
        const std::filesystem::path folder = std::filesystem::path(path).parent_path();
        if (!options.files) {
          return load(std::make_unique<File>(path), format, (folder / ".").string(), options, registry);
        }
        return load(std::make_unique<ProgramFile>(options.files, path), format, folder.string(), options, registry);
      },
      &path);
}

Model load_open_file(int fd, Format format, const std::string& folder, const ModelOptions& options,
                     const Registry& registry) {
  return with_memory_errors("load the model",
                            [&] { return load(std::make_unique<File>(fd), format, folder, options, registry); });
}

Model load_memory(std::span<const std::byte> bytes, Format format, const std::string& folder,
                  const ModelOptions& options, const Registry& registry) {
  return with_memory_errors(
      "load the model", [&] { return load(std::make_unique<MemorySource>(bytes), format, folder, options, registry); });
}

}  // namespace

Model load(const std::string& path, const ModelOptions& options) { return load(path, options, standard_registry()); }

Model load(const std::string& path, const ModelOptions& options, const Registry& registry) {
  return load_file(path, Format::kAny, options, registry);
}

Model load_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options) {
  return load_bytes(bytes, folder, options, standard_registry());
}

Model load_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                 const Registry& registry) {
  return load_memory(bytes, Format::kAny, folder, options, registry);
}

Model load_fd(int fd, const std::string& folder, const ModelOptions& options) {
  return load_fd(fd, folder, options, standard_registry());
}

Model load_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry) {
  return load_open_file(fd, Format::kAny, folder, options, registry);
}

Model load_pt2(const std::string& path, const ModelOptions& options) {
  return load_pt2(path, options, standard_registry());
}

Model load_pt2(const std::string& path, const ModelOptions& options, const Registry& registry) {
  return load_file(path, Format::kPt2, options, registry);
}

Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options) {
  return load_pt2_bytes(bytes, options, standard_registry());
}

Model load_pt2_bytes(std::span<const std::byte> bytes, const ModelOptions& options, const Registry& registry) {
  return load_memory(bytes, Format::kPt2, {}, options, registry);
}

Model load_onnx(const std::string& path, const ModelOptions& options) {
  return load_onnx(path, options, standard_registry());
}

Model load_onnx(const std::string& path, const ModelOptions& options, const Registry& registry) {
  return load_file(path, Format::kOnnx, options, registry);
}

Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options) {
  return load_onnx_fd(fd, folder, options, standard_registry());
}

Model load_onnx_fd(int fd, const std::string& folder, const ModelOptions& options, const Registry& registry) {
  return load_open_file(fd, Format::kOnnx, folder, options, registry);
}

Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options) {
  return load_onnx_bytes(bytes, folder, options, standard_registry());
}

Model load_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ModelOptions& options,
                      const Registry& registry) {
  return load_memory(bytes, Format::kOnnx, folder, options, registry);
}

}  // namespace linnet
