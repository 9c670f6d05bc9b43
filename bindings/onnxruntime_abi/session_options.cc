#include "session_options.h"

#include <cstring>

#include "environment.h"
#include "key_value_pairs.h"
#include "slots.h"
#include "status.h"
#include "value.h"

namespace linnet::ort {

bool SessionOptions::has_entry(const char* key, const char* value) const {
  const auto found = entries.find(key);
  return found != entries.end() && found->second == value;
}

Status* CreateSessionOptions(SessionOptions** created) noexcept {
  return create(created, [] { return new SessionOptions; });
}

Status* CloneSessionOptions(const SessionOptions* options, SessionOptions** created) noexcept {
  return create(created, [&] { return new SessionOptions(valid(options, "in_options")); });
}

void ReleaseSessionOptions(SessionOptions* options) noexcept { delete options; }

Status* SetOptimizedModelFilePath(SessionOptions* options, const char* path) noexcept {
  return guarded([&] { valid(options, "options").optimized_path = text(path, "optimized_model_filepath"); });
}

// Nodes run one after another in both modes, each on all threads.
Status* SetSessionExecutionMode(SessionOptions* options, ExecutionMode mode) noexcept {
  return guarded([&] {
    require(mode == kSequential || mode == kParallel, "execution_mode is not valid");
    valid(options, "options").execution_mode = mode;
  });
}

Status* GetSessionExecutionMode(const SessionOptions* options, ExecutionMode* mode) noexcept {
  return guarded([&] { valid(mode, "out") = valid(options, "options").execution_mode; });
}

Status* EnableProfiling(SessionOptions* options, const char* prefix) noexcept {
  return guarded([&] { valid(options, "options").profile_prefix = text(prefix, "profile_file_prefix"); });
}

Status* DisableProfiling(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options").profile_prefix.reset(); });
}

// The setting has no other effect: Linnet plans memory for every set of shapes, and has no arena that grows.
Status* EnableMemPattern(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options").memory_pattern = true; });
}
Status* DisableMemPattern(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options").memory_pattern = false; });
}
Status* GetMemPatternEnabled(const SessionOptions* options, int* enabled) noexcept {
  return guarded([&] { valid(enabled, "out") = valid(options, "options").memory_pattern; });
}
Status* EnableCpuMemArena(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options"); });
}
Status* DisableCpuMemArena(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options"); });
}

Status* SetSessionLogId(SessionOptions* options, const char* id) noexcept {
  return guarded([&] { valid(options, "options").log_id = text(id, "logid"); });
}

Status* SetSessionLogVerbosityLevel(SessionOptions* options, int) noexcept {
  return guarded([&] { valid(options, "options"); });
}

Status* SetSessionLogSeverityLevel(SessionOptions* options, int level) noexcept {
  return guarded([&] { valid(options, "options").log_severity = level; });
}

Status* SetUserLoggingFunction(SessionOptions* options, LoggingFunction function, void* param) noexcept {
  return guarded([&] {
    valid(options, "options").log_function = function;
    options->log_param = param;
  });
}

Status* SetSessionGraphOptimizationLevel(SessionOptions* options, GraphOptimizationLevel level) noexcept {
  return guarded([&] {
    require((level >= kDisableAll && level <= 3) || level == kEnableAll, "graph_optimization_level is not valid");
    valid(options, "options").optimization = level;
  });
}

Status* SetIntraOpNumThreads(SessionOptions* options, int count) noexcept {
  return guarded([&] { valid(options, "options").threads.count = count; });
}

Status* SetInterOpNumThreads(SessionOptions* options, int) noexcept {
  return guarded([&] { valid(options, "options"); });
}

Status* DisablePerSessionThreads(SessionOptions* options) noexcept {
  return guarded([&] { valid(options, "options").own_threads = false; });
}

Status* SessionOptionsSetCustomCreateThreadFn(SessionOptions* options, CreateThread create_thread) noexcept {
  return guarded([&] { valid(options, "options").threads.create = create_thread; });
}

Status* SessionOptionsSetCustomThreadCreationOptions(SessionOptions* options, void* creation_options) noexcept {
  return guarded([&] { valid(options, "options").threads.options = creation_options; });
}

Status* SessionOptionsSetCustomJoinThreadFn(SessionOptions* options, JoinThread join_thread) noexcept {
  return guarded([&] { valid(options, "options").threads.join = join_thread; });
}

// Results never depend on the number of threads or on timing. They may depend only on the size of the batch.
Status* SetDeterministicCompute(SessionOptions* options, bool value) noexcept {
  return guarded([&] { valid(options, "options").batch_invariant = value; });
}

Status* SessionOptionsSetLoadCancellationFlag(SessionOptions* options, bool cancelled) noexcept {
  return guarded([&] { valid(options, "options").load_cancelled = cancelled; });
}

// If a dim is given twice, the first size is used.
Status* AddFreeDimensionOverrideByName(SessionOptions* options, const char* name, int64_t size) noexcept {
  return guarded([&] { valid(options, "options").dims_by_name.insert({text(name, "dim_name"), size}); });
}

Status* AddFreeDimensionOverride(SessionOptions* options, const char* denotation, int64_t size) noexcept {
  return guarded([&] {
    valid(options, "options").dims_by_denotation.insert({text(denotation, "dim_denotation"), size});
  });
}

Status* AddInitializer(SessionOptions* options, const char* name, const Value* value) noexcept {
  return guarded([&] {
    require(name && *name, "Received nullptr for name or empty name");
    const Tensor& tensor = tensor_of(value);
    require(value->is_callers, "Buffer containing the initializer must be owned by the user.");
    if (!valid(options, "options").initializers.try_emplace(name, tensor).second) {
      throw Failure(kInvalidArgument, str("An OrtValue for this name has already been added: ", name));
    }
  });
}

Status* AddExternalInitializers(SessionOptions* options, const char* const* names, const Value* const* values,
                                size_t count) noexcept {
  return guarded([&] {
    valid(options, "options");
    require((names && values) || count == 0, "initializer_names and initializers must not be NULL");
    for (size_t i = 0; i < count; ++i) {
      throw_status(AddInitializer(options, names[i], values[i]));
      options->external.insert(names[i]);
    }
  });
}

Status* AddExternalInitializersFromFilesInMemory(SessionOptions* options, const char* const* names,
                                                 char* const* buffers, const size_t* sizes, size_t count) noexcept {
  return guarded([&] {
    auto& files = valid(options, "options").external_files;
    require((names && buffers && sizes) || count == 0, "file names, buffers and sizes must not be NULL");
    for (size_t i = 0; i < count; ++i) {
      const char* bytes = text(buffers[i], "a buffer");
      if (!files.try_emplace(text(names[i], "a file name"), std::as_bytes(std::span(bytes, sizes[i]))).second) {
        throw Failure(kInvalidArgument, str("A buffer for this file has already been added: ", names[i]));
      }
    }
  });
}

// Models without weights are those that other providers compile.
Status* SessionOptionsSetWeightlessSourceModelBuffer(SessionOptions* options, const void* bytes, size_t size) noexcept {
  return guarded([&] {
    valid(options, "options");
    require(bytes && size > 0, "the buffer is NULL, or its size is 0");
  });
}

Status* GetSessionOptionsConfigEntries(const SessionOptions* options, KeyValuePairs** pairs) noexcept {
  return create(pairs, [&] { return new KeyValuePairs(valid(options, "options").entries); });
}

}  // namespace linnet::ort
