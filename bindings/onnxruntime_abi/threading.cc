#include "threading.h"

#include <algorithm>

#include "client_threads.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

std::shared_ptr<Executor> ThreadSettings::make_executor() const {
  if (create && !join) throw Failure(kFail, "custom join thread function not set");
  if (count == 1) return make_serial_executor();
  return create ? make_client_executor(*this) : make_thread_executor(std::max(count, 0));
}

Status* CreateThreadingOptions(ThreadingOptions** created) noexcept {
  return create(created, [] { return new ThreadingOptions; });
}

void ReleaseThreadingOptions(ThreadingOptions* options) noexcept { delete options; }

Status* SetGlobalIntraOpNumThreads(ThreadingOptions* options, int count) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions").threads.count = count; });
}

// Accepted without effect: nodes run one after another.
Status* SetGlobalInterOpNumThreads(ThreadingOptions* options, int) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions"); });
}

// Accepted without effect: threads always spin for a moment between loops, then sleep.
Status* SetGlobalSpinControl(ThreadingOptions* options, int allow) noexcept {
  return guarded([&] {
    valid(options, "Received null OrtThreadingOptions");
    require(allow == 0 || allow == 1, "Received invalid value for allow_spinning. Valid values are 0 or 1");
  });
}

// Accepted without effect: kernels compute subnormal numbers as IEEE 754 specifies.
Status* SetGlobalDenormalAsZero(ThreadingOptions* options) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions"); });
}

Status* SetGlobalIntraOpThreadAffinity(ThreadingOptions* options, const char* affinity) noexcept {
  return guarded([&] {
    valid(options, "Received null OrtThreadingOptions");
    require(affinity && *affinity, "Received empty affinity string");
  });
}

Status* SetGlobalCustomCreateThreadFn(ThreadingOptions* options, CreateThread create_thread) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions").threads.create = create_thread; });
}

Status* SetGlobalCustomThreadCreationOptions(ThreadingOptions* options, void* creation_options) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions").threads.options = creation_options; });
}

Status* SetGlobalCustomJoinThreadFn(ThreadingOptions* options, JoinThread join_thread) noexcept {
  return guarded([&] { valid(options, "Received null OrtThreadingOptions").threads.join = join_thread; });
}

}  // namespace linnet::ort
