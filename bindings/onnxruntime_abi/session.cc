#include "session.h"

#include <filesystem>

#include "dtypes.h"
#include "slots.h"
#include "status.h"
#include "type_info.h"

namespace linnet::ort {
namespace {

Status* create_session(const Env* env, const SessionOptions* options, std::shared_ptr<const ModelSource> source,
                       Session** created) noexcept {
  return create(created, [&] {
    const SessionOptions defaults;
    auto session = std::make_unique<Session>();
    session->state =
        std::make_shared<SessionState>(valid(env, "env"), options ? *options : defaults, std::move(source));
    return session.release();
  });
}

const SessionState& state_of(const Session* session) { return *valid(session, "session").state; }

const ValueInfo& value_at(const Interface& interface, size_t index, const char* message) {
  if (index >= interface.values.size()) throw Failure(kFail, message);
  return interface.values[index];
}

using Side = const Interface& (SessionState::*)() const;

Status* count(const Session* session, Side side, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = (state_of(session).*side)().values.size(); });
}

Status* describe(const Session* session, Side side, size_t index, TypeInfo** info) noexcept {
  return create(info,
                [&] { return new TypeInfo(type_info(value_at((state_of(session).*side)(), index, "out of index"))); });
}

Status* name(const Session* session, Side side, size_t index, Allocator* allocator, char** name) noexcept {
  return guarded([&] {
    const ValueInfo& value = value_at((state_of(session).*side)(), index, "index out of range");
    valid(name, "output") = copy_text(allocator, value.name);
  });
}

Status* memory_infos(const Session* session, Side side, const MemoryInfo** infos, size_t count) noexcept {
  return guarded([&] {
    require(count == (state_of(session).*side)().values.size(), "The number of values is not that of the array");
    require(infos || count == 0, "mem_info must not be NULL");
    std::fill_n(infos, count, &cpu_memory());
  });
}

}  // namespace

Status* CreateSession(const Env* env, const char* path, const SessionOptions* options, Session** created) noexcept {
  return guarded([&] {
    require(path, "Model data pointer is null.");
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
      throw Failure(kInvalidArgument, str("The model path is a directory: ", path));
    }
    if (!*path) throw Failure(kNoSuchFile, "Load model from  failed:Load model  failed. File doesn't exist");
    throw_status(create_session(env, options, std::make_shared<const FileSource>(path), created));
  });
}

Status* CreateSessionFromArray(const Env* env, const void* bytes, size_t size, const SessionOptions* options,
                               Session** created) noexcept {
  return guarded([&] { throw_status(create_session(env, options, bytes_source(bytes, size), created)); });
}

Status* CreateSessionWithPrepackedWeightsContainer(const Env* env, const char* path, const SessionOptions* options,
                                                   PrepackedWeightsContainer*, Session** created) noexcept {
  return guarded([&] { throw_status(CreateSession(env, path, options, created)); });
}

Status* CreateSessionFromArrayWithPrepackedWeightsContainer(const Env* env, const void* bytes, size_t size,
                                                            const SessionOptions* options, PrepackedWeightsContainer*,
                                                            Session** created) noexcept {
  return guarded([&] { throw_status(CreateSessionFromArray(env, bytes, size, options, created)); });
}

// The container stays empty: sessions share packed weights only through ModelOptions::cache_dir.
struct PrepackedWeightsContainer {};

Status* CreatePrepackedWeightsContainer(PrepackedWeightsContainer** created) noexcept {
  return create(created, [] { return new PrepackedWeightsContainer; });
}

void ReleasePrepackedWeightsContainer(PrepackedWeightsContainer* container) noexcept { delete container; }

void ReleaseSession(Session* session) noexcept {
  if (!session) return;
  {
    std::unique_lock lock(session->mutex);
    session->changed.wait(lock, [&] { return session->asynchronous_runs == 0; });
  }
  delete session;
}

Status* SessionGetInputCount(const Session* session, size_t* out) noexcept {
  return count(session, &SessionState::inputs, out);
}
Status* SessionGetOutputCount(const Session* session, size_t* out) noexcept {
  return count(session, &SessionState::outputs, out);
}
Status* SessionGetOverridableInitializerCount(const Session* session, size_t* out) noexcept {
  return count(session, &SessionState::overridable, out);
}

Status* SessionGetInputTypeInfo(const Session* session, size_t index, TypeInfo** info) noexcept {
  return describe(session, &SessionState::inputs, index, info);
}
Status* SessionGetOutputTypeInfo(const Session* session, size_t index, TypeInfo** info) noexcept {
  return describe(session, &SessionState::outputs, index, info);
}
Status* SessionGetOverridableInitializerTypeInfo(const Session* session, size_t index, TypeInfo** info) noexcept {
  return describe(session, &SessionState::overridable, index, info);
}

Status* SessionGetInputName(const Session* session, size_t index, Allocator* allocator, char** out) noexcept {
  return name(session, &SessionState::inputs, index, allocator, out);
}
Status* SessionGetOutputName(const Session* session, size_t index, Allocator* allocator, char** out) noexcept {
  return name(session, &SessionState::outputs, index, allocator, out);
}
Status* SessionGetOverridableInitializerName(const Session* session, size_t index, Allocator* allocator,
                                             char** out) noexcept {
  return name(session, &SessionState::overridable, index, allocator, out);
}

Status* SessionGetMemoryInfoForInputs(const Session* session, const MemoryInfo** infos, size_t count) noexcept {
  return memory_infos(session, &SessionState::inputs, infos, count);
}
Status* SessionGetMemoryInfoForOutputs(const Session* session, const MemoryInfo** infos, size_t count) noexcept {
  return memory_infos(session, &SessionState::outputs, infos, count);
}

Status* SessionEndProfiling(Session* session, Allocator* allocator, char** path) noexcept {
  return guarded([&] {
    Profile* profile = state_of(session).profile();
    valid(path, "out") = copy_text(allocator, profile ? profile->end() : "");
  });
}

Status* SessionGetProfilingStartTimeNs(const Session* session, uint64_t* start) noexcept {
  return guarded([&] {
    const Profile* profile = state_of(session).profile();
    valid(start, "out") = profile ? profile->start() : 0;
  });
}

// Accepted without effect: only other devices capture graphs.
Status* SessionReleaseCapturedGraph(Session* session, int) noexcept {
  return guarded([&] { valid(session, "session"); });
}

// Accepted without effect: the CPU has no options that change while a session exists.
Status* SetEpDynamicOptions(Session* session, const char* const*, const char* const*, size_t) noexcept {
  return guarded([&] { valid(session, "session"); });
}

}  // namespace linnet::ort
