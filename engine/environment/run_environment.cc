#include "environment/run_environment.h"

#include <random>

namespace linnet {

RunEnvironment::RunEnvironment(const ContextOptions& options, std::shared_ptr<Executor> executor) : options_(options) {
  if (!options_.executor) options_.executor = std::move(executor);
}

RunEnvironment RunEnvironment::folding(int64_t memory_bytes, int64_t checks) {
  Limits limits;
  limits.memory_bytes = memory_bytes;
  RunEnvironment result({.limits = limits}, make_serial_executor());
  result.checks_left_ = std::make_unique<std::atomic<int64_t>>(checks);
  return result;
}

void RunEnvironment::check_memory(size_t bytes) const {
  const int64_t most = options_.limits.memory_bytes;
  if (most > 0 && bytes > size_t(most)) {
    throw Error(ErrorKind::kLimit, str("the run needs ", bytes, " bytes, more than the limit of ", most));
  }
}

void RunEnvironment::begin_run(const RunOptions& options) {
  run_ = options;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.limits.deadline_ms);
}

uint64_t RunEnvironment::draw_seed() {
  if (options_.seed) return *options_.seed + seeds_drawn_++;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void RunEnvironment::check() const {
  if (run_.cancellation && run_.cancellation->cancelled()) throw Error(ErrorKind::kCancelled, "the run was cancelled");
  if (options_.limits.deadline_ms > 0 && std::chrono::steady_clock::now() > deadline_) {
    throw Error(ErrorKind::kLimit, str("the run exceeds the deadline of ", options_.limits.deadline_ms, " ms"));
  }
  if (checks_left_ && checks_left_->fetch_sub(1, std::memory_order_relaxed) <= 0) {
    throw Error(ErrorKind::kLimit, "too long to be computed ahead of a run");
  }
}

RunEnvironment& run_environment(KernelContext& context) {
  auto* const run = dynamic_cast<RunContext*>(&context);
  if (!run) throw Error(ErrorKind::kInternal, "control flow needs a context of Linnet's own");
  return run->environment();
}

}  // namespace linnet
