#include "environment.h"

#include <algorithm>
#include <mutex>

#include "memory.h"
#include "slots.h"
#include "status.h"
#include "threading.h"

namespace linnet::ort {
namespace {

struct Singleton {
  std::mutex mutex;
  std::unique_ptr<Env> env;
  int owners = 0;
};

// Not destroyed: static objects of clients release their environment at exit.
Singleton& singleton() {
  static Singleton& instance = *new Singleton;
  return instance;
}

Status* create_environment(const Logger& logger, const ThreadingOptions* threads, Env** created) noexcept {
  return create(created, [&] {
    Singleton& instance = singleton();
    const std::lock_guard lock(instance.mutex);
    if (!instance.env) {
      auto state = std::make_shared<EnvironmentState>();
      state->logger = logger;
      if (threads) state->executor = threads->threads.make_executor();
      instance.env = std::make_unique<Env>();
      instance.env->state = std::move(state);
    }
    ++instance.owners;
    return instance.env.get();
  });
}

Logger logger_of(LoggingFunction function, void* param, LoggingLevel severity, const char* id) {
  return {function, param, severity, id ? id : ""};
}

}  // namespace

Status* CreateEnv(LoggingLevel severity, const char* id, Env** created) noexcept {
  return create_environment(logger_of(nullptr, nullptr, severity, id), nullptr, created);
}

Status* CreateEnvWithCustomLogger(LoggingFunction function, void* param, LoggingLevel severity, const char* id,
                                  Env** created) noexcept {
  return create_environment(logger_of(function, param, severity, id), nullptr, created);
}

Status* CreateEnvWithGlobalThreadPools(LoggingLevel severity, const char* id, const ThreadingOptions* threads,
                                       Env** created) noexcept {
  return guarded([&] {
    const ThreadingOptions defaults;
    throw_status(create_environment(logger_of(nullptr, nullptr, severity, id), threads ? threads : &defaults, created));
  });
}

Status* CreateEnvWithCustomLoggerAndGlobalThreadPools(LoggingFunction function, void* param, LoggingLevel severity,
                                                      const char* id, const ThreadingOptions* threads,
                                                      Env** created) noexcept {
  return guarded([&] {
    valid(threads, "OrtThreadingOptions");
    throw_status(create_environment(logger_of(function, param, severity, id), threads, created));
  });
}

Status* CreateEnvWithOptions(const EnvCreationOptions* options, Env** created) noexcept {
  return guarded([&] {
    constexpr uint32_t kFirstVersion = 24;
    const EnvCreationOptions& given = valid(options, "options: a null pointer,");
    require(given.version >= kFirstVersion, "the version of the options must be set to ORT_API_VERSION");
    const Logger logger =
        logger_of(given.log_function, given.log_param, LoggingLevel(given.severity), text(given.log_id, "the log id"));
    throw_status(create_environment(logger, given.threads, created));
  });
}

// Not implemented: threads of sessions are Linnet's, or made by functions in the options of a session.
Status* SetPerSessionThreadPoolCallbacks(Env* env, const ThreadPoolCallbacksConfig* callbacks) noexcept {
  return guarded([&] {
    valid(env, "env: a null pointer,");
    valid(reinterpret_cast<const char*>(callbacks), "config: a null pointer,");
    throw Failure(kNotImplemented, "SetPerSessionThreadPoolCallbacks is not implemented by Linnet");
  });
}

void ReleaseEnv(Env* env) noexcept {
  Singleton& instance = singleton();
  const std::lock_guard lock(instance.mutex);
  if (!env || env != instance.env.get()) return;
  if (--instance.owners == 0) instance.env.reset();
}

// Accepted without effect: Linnet sends no telemetry.
Status* EnableTelemetryEvents(const Env*) noexcept { return nullptr; }
Status* DisableTelemetryEvents(const Env*) noexcept { return nullptr; }
Status* SetLanguageProjection(const Env*, int) noexcept { return nullptr; }

// The environment is not needed because a process has only one.
Status* UpdateEnvWithCustomLogLevel(Env*, LoggingLevel severity) noexcept {
  return guarded([&] {
    Singleton& instance = singleton();
    const std::lock_guard lock(instance.mutex);
    if (instance.env) instance.env->state->logger.severity = severity;
  });
}

// Accepted without effect: Linnet allocates the memory of runs.
Status* CreateAndRegisterAllocator(Env* env, const MemoryInfo* memory, const ArenaCfg*) noexcept {
  return guarded([&] {
    valid(env, "Env");
    if (!valid(memory, "OrtMemoryInfo").is_cpu()) throw Failure(kInvalidArgument, "Linnet has the CPU's memory only");
  });
}

Status* CreateAndRegisterAllocatorV2(Env* env, const char* provider, const MemoryInfo* memory, const ArenaCfg* arena,
                                     const char* const*, const char* const*, size_t) noexcept {
  return guarded([&] {
    if (text(provider, "provider_type") != std::string("CPUExecutionProvider")) {
      throw Failure(kInvalidArgument, str(provider, " is not implemented in CreateAndRegisterAllocatorV2()"));
    }
    throw_status(CreateAndRegisterAllocator(env, memory, arena));
  });
}

Status* RegisterAllocator(Env* env, Allocator* allocator) noexcept {
  return guarded([&] {
    std::vector<Allocator*>& registered = valid(env, "Env").allocators;
    const MemoryInfo& memory = *valid(allocator, "Provided allocator").info(allocator);
    for (Allocator* other : registered) {
      require(!(*other->info(other) == memory), "an allocator of this memory is registered already");
    }
    registered.push_back(allocator);
  });
}

Status* UnregisterAllocator(Env* env, const MemoryInfo* memory) noexcept {
  return guarded([&] {
    std::vector<Allocator*>& registered = valid(env, "Env").allocators;
    const MemoryInfo& wanted = valid(memory, "Provided OrtMemoryInfo");
    const auto is_wanted = [&](Allocator* allocator) { return *allocator->info(allocator) == wanted; };
    if (std::erase_if(registered, is_wanted) == 0)
      throw Failure(kInvalidArgument, "no allocator of this memory is registered");
  });
}

}  // namespace linnet::ort
