// Compiles models ahead of time. Only providers of other devices compile nodes; on the CPU, the compiled model is the
// model itself.
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "edited_graph.h"
#include "linnet/onnx.h"
#include "memory.h"
#include "model_source.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

constexpr uint32_t kErrorIfNothingCompiled = 1, kErrorIfOutputExists = 2;

using WriteFunction = Status* (*)(void* state, const void* buffer, size_t size);

struct OutputBuffer {
  Allocator* allocator;
  void** data;
  size_t* size;
};

struct CompilationOptions {
  std::string input_path{};
  std::string_view input_bytes{};
  const EditedModel* input_model = nullptr;
  std::string output_path{};
  std::optional<OutputBuffer> output_buffer{};
  WriteFunction write = nullptr;
  void* write_state = nullptr;
  uint32_t flags = 0;
};

void ReleaseModelCompilationOptions(CompilationOptions* options) noexcept { delete options; }

Status* CreateModelCompilationOptionsFromSessionOptions(const Env* env, const SessionOptions* options,
                                                        CompilationOptions** created) noexcept {
  return create(created, [&] {
    valid(env, "env");
    valid(options, "session_options");
    return new CompilationOptions;
  });
}

Status* SetInputModelPath(CompilationOptions* options, const char* path) noexcept {
  return guarded([&] {
    require(path && *path, "Invalid input model: path string is empty");
    valid(options, "ort_model_compile_options").input_path = path;
  });
}

Status* SetInputModelFromBuffer(CompilationOptions* options, const void* bytes, size_t size) noexcept {
  return guarded([&] {
    require(bytes && size > 0, "Invalid input model: data size is 0, or the buffer is NULL");
    valid(options, "ort_model_compile_options").input_bytes = {static_cast<const char*>(bytes), size};
  });
}

Status* SetInputModel(CompilationOptions* options, const EditedModel* model) noexcept {
  return guarded([&] { valid(options, "ort_model_compile_options").input_model = &valid(model, "model"); });
}

Status* SetOutputModelPath(CompilationOptions* options, const char* path) noexcept {
  return guarded([&] {
    require(path && *path, "Invalid output model path: path must not be empty");
    valid(options, "ort_model_compile_options").output_path = path;
  });
}

Status* SetOutputModelBuffer(CompilationOptions* options, Allocator* allocator, void** data, size_t* size) noexcept {
  return guarded([&] {
    CompilationOptions& changed = valid(options, "ort_model_compile_options");
    changed.output_buffer = OutputBuffer{&valid(allocator, "allocator"), &valid(data, "buffer"), &valid(size, "size")};
  });
}

Status* SetOutputModelWriteFunc(CompilationOptions* options, WriteFunction write, void* state) noexcept {
  return guarded([&] {
    require(write, "OrtWriteBufferFunc function must not be NULL");
    valid(options, "ort_model_compile_options").write = write;
    options->write_state = state;
  });
}

Status* SetFlags(CompilationOptions* options, uint32_t flags) noexcept {
  return guarded([&] { valid(options, "ort_model_compile_options").flags = flags; });
}

Status* SetGraphOptimizationLevel(CompilationOptions* options, GraphOptimizationLevel level) noexcept {
  return guarded([&] {
    valid(options, "ort_model_compile_options");
    if ((level >= kDisableAll && level <= 3) || level == kEnableAll) return;
    throw Failure(kInvalidArgument, str("graph_optimization_level with value ", int(level), " is invalid"));
  });
}

// Accepts settings for nodes that the written model does not have.
Status* accept(CompilationOptions* options) noexcept {
  return guarded([&] { valid(options, "ort_model_compile_options"); });
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(kInvalidArgument, str("the input model ", path, " does not exist"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string model_bytes(const CompilationOptions& options) {
  if (!options.input_path.empty()) return read_file(options.input_path);
  if (!options.input_bytes.empty()) return std::string(options.input_bytes);
  require(options.input_model && options.input_model->graph, "Input model to compile must be set");
  ModelOptions as_written;
  as_written.optimization = 0;
  const EditedSource source(*options.input_model->graph, options.input_model->opsets);
  return save_onnx_bytes(source.load("", as_written, standard_registry()));
}

void write_file(const std::string& path, const std::string& bytes, bool must_be_new) {
  if (must_be_new && std::ifstream(path)) throw Failure(kFail, str("Output file ", path, " exists already"));
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file) throw Failure(kFail, str("cannot write the model ", path));
}

void write_model(const CompilationOptions& options, const std::string& bytes) {
  if (options.write) return throw_status(options.write(options.write_state, bytes.data(), bytes.size()));
  if (const auto& buffer = options.output_buffer) {
    *buffer->data = std::memcpy(allocate(buffer->allocator, bytes.size()), bytes.data(), bytes.size());
    *buffer->size = bytes.size();
    return;
  }
  std::string path = options.output_path;
  if (path.empty() && !options.input_path.empty()) {
    path = options.input_path.substr(0, options.input_path.rfind(".onnx")) + "_ctx.onnx";
  }
  require(!path.empty(), "Output model path or buffer must be set");
  write_file(path, bytes, (options.flags & kErrorIfOutputExists) != 0);
}

Status* CompileModel(const Env* env, const CompilationOptions* options) noexcept {
  return guarded([&] {
    valid(env, "env");
    const CompilationOptions& given = valid(options, "model_options");
    const std::string bytes = model_bytes(given);
    if (given.flags & kErrorIfNothingCompiled)
      throw Failure(kFail, "Unable to compile any nodes. No provider compiles.");
    write_model(given, bytes);
  });
}

}  // namespace

const void* GetCompileApi() noexcept {
  static const Slot table[] = {slot(ReleaseModelCompilationOptions),
                               slot(CreateModelCompilationOptionsFromSessionOptions),
                               slot(SetInputModelPath),
                               slot(SetInputModelFromBuffer),
                               slot(SetOutputModelPath),
                               slot(accept),  // SetOutputModelExternalInitializersFile
                               slot(SetOutputModelBuffer),
                               slot(accept),  // SetEpContextEmbedMode
                               slot(CompileModel),
                               slot(SetFlags),
                               slot(accept),  // SetEpContextBinaryInformation
                               slot(SetGraphOptimizationLevel),
                               slot(SetOutputModelWriteFunc),
                               slot(accept),  // SetOutputModelGetInitializerLocationFunc
                               slot(SetInputModel),
                               slot(accept)};  // SetWeightlessEnabled
  return table;
}

}  // namespace linnet::ort
