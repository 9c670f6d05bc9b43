#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "linnet/executor.h"
#include "linnet/model.h"
#include "linnet/op.h"

namespace linnet {

/// What a run and the runs of control-flow bodies within it share.
class RunEnvironment {
 public:
  /// `executor` is for options that name none.
  RunEnvironment(const ContextOptions& options, std::shared_ptr<Executor> executor);
  /// For constants that are computed ahead of runs: the calling thread, no observer, no deadline, but only `checks`
  /// calls of check(), as no caller could end a long loop.
  static RunEnvironment folding(int64_t memory_bytes, int64_t checks);

  Executor& executor() const { return *options_.executor; }
  Observer* observer() const { return observer_.get(); }
  /// A new tensor in ContextOptions::memory.
  Tensor allocate(DType dtype, const Shape& shape) const;
  /// Throws Error(kLimit) where a run may not use so many bytes, besides those that begin_run() was told of.
  void check_memory(size_t bytes) const;
  bool limits_memory() const { return options_.limits.memory_bytes > 0; }

  /// Starts the clock of the deadline. `held_bytes` count against the run's memory.
  void begin_run(const RunOptions& options, size_t held_bytes = 0);
  /// Throws Error(kCancelled) once the run is cancelled, Error(kLimit) past the deadline. Called before each node and
  /// each iteration of a loop, and by kernels that may run for long; any thread may.
  void check() const;
  /// A seed for a random operator: the next of a series that ContextOptions::seed begins, or one that nobody foresees.
  uint64_t draw_seed();

 private:
  ContextOptions options_;
  std::shared_ptr<const CancellationToken> cancellation_;
  std::shared_ptr<Observer> observer_;
  std::chrono::steady_clock::time_point deadline_ = kNoDeadline;
  int64_t allowed_ms_ = 0;  // where Limits::deadline_ms sets the deadline
  uint64_t seeds_drawn_ = 0;
  size_t held_bytes_ = 0;
  std::unique_ptr<std::atomic<int64_t>> checks_left_{};  // none: no bound
};

/// What kernels see in Linnet's own runs. Control flow runs its bodies in the same environment.
class RunContext : public KernelContext {
 public:
  explicit RunContext(RunEnvironment& environment) : environment_(environment) {}

  Executor& executor() final { return environment_.executor(); }
  void check() const final { environment_.check(); }
  void check_memory(size_t bytes) const final { environment_.check_memory(bytes); }
  uint64_t draw_seed() final { return environment_.draw_seed(); }
  RunEnvironment& environment() const { return environment_; }

 private:
  RunEnvironment& environment_;
};

/// That of a context of Linnet's own. Throws Error(kInternal) for others.
RunEnvironment& run_environment(KernelContext& context);

}  // namespace linnet
