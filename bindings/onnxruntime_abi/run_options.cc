#include "run_options.h"

#include "session_options.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

Status* CreateRunOptions(RunOptions** created) noexcept {
  return create(created, [] { return new RunOptions; });
}

void ReleaseRunOptions(RunOptions* options) noexcept { delete options; }

Status* RunOptionsSetRunLogVerbosityLevel(RunOptions* options, int level) noexcept {
  return guarded([&] { valid(options, "options").log_verbosity = level; });
}

Status* RunOptionsSetRunLogSeverityLevel(RunOptions* options, int level) noexcept {
  return guarded([&] { valid(options, "options").log_severity = level; });
}

Status* RunOptionsSetRunTag(RunOptions* options, const char* tag) noexcept {
  return guarded([&] {
    if (tag) valid(options, "options").tag = tag;
  });
}

Status* RunOptionsGetRunLogVerbosityLevel(const RunOptions* options, int* level) noexcept {
  return guarded([&] { valid(level, "out") = valid(options, "options").log_verbosity; });
}

Status* RunOptionsGetRunLogSeverityLevel(const RunOptions* options, int* level) noexcept {
  return guarded([&] { valid(level, "out") = valid(options, "options").log_severity; });
}

Status* RunOptionsGetRunTag(const RunOptions* options, const char** tag) noexcept {
  return guarded([&] { valid(tag, "out") = valid(options, "options").tag.c_str(); });
}

Status* RunOptionsSetTerminate(RunOptions* options) noexcept {
  return guarded([&] { valid(options, "options").cancellation.load()->cancel(); });
}

Status* RunOptionsUnsetTerminate(RunOptions* options) noexcept {
  return guarded([&] { valid(options, "options").cancellation = std::make_shared<CancellationToken>(); });
}

Status* AddRunConfigEntry(RunOptions* options, const char* key, const char* value) noexcept {
  return guarded([&] { add_entry(valid(options, "options").entries, key, value); });
}

const char* GetRunConfigEntry(const RunOptions* options, const char* key) noexcept {
  return guarded_value<const char*>(nullptr, [&]() -> const char* {
    if (!options || !key) return nullptr;
    const auto found = options->entries.find(key);
    return found == options->entries.end() ? nullptr : found->second.c_str();
  });
}

Status* RunOptionsEnableProfiling(RunOptions* options, const char* prefix) noexcept {
  return guarded([&] { valid(options, "options").profile_prefix = text(prefix, "profile_file_prefix"); });
}

Status* RunOptionsDisableProfiling(RunOptions* options) noexcept {
  return guarded([&] { valid(options, "options").profile_prefix.reset(); });
}

void RunOptionsSetSyncStream(RunOptions*, SyncStream*) noexcept {}

}  // namespace linnet::ort
