#include "environment/run_environment.h"

#include <algorithm>
#include <random>

#include "tensor/resource_tensor.h"

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

Tensor RunEnvironment::allocate(DType dtype, const Shape& shape) const {
  return allocate_from(options_.memory, dtype, shape);
}

void RunEnvironment::check_memory(size_t bytes) const {
  const auto most = size_t(std::max<int64_t>(options_.limits.memory_bytes, 0));
  if (most > 0 && (held_bytes_ > most || bytes > most - held_bytes_)) {
    const std::string held = held_bytes_ > 0 ? str(" besides ", held_bytes_, " of states") : "";
    throw Error(ErrorKind::kLimit, str("the run needs ", bytes, " bytes", held, ", more than the limit of ", most));
  }
}

void RunEnvironment::begin_run(const RunOptions& options, size_t held_bytes) {
  held_bytes_ = held_bytes;
  cancellation_ = options.cancellation;
  observer_ = options.observer ? options.observer : options_.observer;
  deadline_ = options.deadline;
  allowed_ms_ = 0;
  const std::chrono::milliseconds most(options_.limits.deadline_ms);
  if (const auto end = std::chrono::steady_clock::now() + most; most.count() > 0 && end < deadline_) {
    deadline_ = end;
    allowed_ms_ = most.count();
  }
}

uint64_t RunEnvironment::draw_seed() {
  if (options_.seed) return *options_.seed + seeds_drawn_++;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void RunEnvironment::check() const {
  if (cancellation_ && cancellation_->cancelled()) throw Error(ErrorKind::kCancelled, "the run was cancelled");
  if (deadline_ != kNoDeadline && std::chrono::steady_clock::now() > deadline_) {
    throw Error(ErrorKind::kLimit, allowed_ms_ > 0 ? str("the run exceeds the deadline of ", allowed_ms_, " ms")
                                                   : "the run exceeds its deadline");
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
