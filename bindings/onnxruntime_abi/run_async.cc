#include <thread>

#include "run.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

/// The state of a run that continues after the call. The caller keeps the values and the arrays of names until the
/// callback.
struct AsyncRun {
  Session& session;
  const RunOptions* options;
  RunCall call;
  RunAsyncCallback callback;
  void* user_data;

  void operator()() const noexcept {
    Status* status = guarded([&] { run(*session.state, options, call); });
    callback(user_data, call.outputs.data(), status ? 0 : call.outputs.size(), status);
    const std::lock_guard lock(session.mutex);
    --session.asynchronous_runs;
    session.changed.notify_all();
  }
};

}  // namespace

Status* RunAsync(Session* session, const RunOptions* options, const char* const* input_names,
                 const Value* const* inputs, size_t input_count, const char* const* output_names, size_t output_count,
                 Value** outputs, RunAsyncCallback callback, void* user_data) noexcept {
  return guarded([&] {
    Session& checked = valid(session, "session");
    require(callback, "run_async_callback must not be NULL");
    require(checked.state->executor().workers() > 1, "intra op thread pool must have at least one thread for RunAsync");
    const RunCall call = run_call(input_names, inputs, input_count, output_names, output_count, outputs);
    const std::lock_guard lock(checked.mutex);
    std::thread(AsyncRun{checked, options, call, callback, user_data}).detach();
    ++checked.asynchronous_runs;
  });
}

}  // namespace linnet::ort
