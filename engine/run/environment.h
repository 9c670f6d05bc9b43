#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "linnet/executor.h"
#include "linnet/model.h"

namespace linnet {

/// What a run and the runs of control-flow bodies within it share.
class RunEnvironment {
 public:
  explicit RunEnvironment(const ContextOptions& options);
  /// The calling thread, no observer, no limits.
  static RunEnvironment serial();

  Executor& executor() const { return *options_.executor; }
  Observer* observer() const { return options_.observer.get(); }
  int64_t memory_limit() const { return options_.limits.memory_bytes; }

  /// Starts the clock of the deadline.
  void begin_run();
  /// Throws Error(kCancelled) after cancel(), Error(kLimit) past the deadline.
  void check() const;
  void cancel() { *cancelled_ = true; }
  /// A seed for a random operator: the next of a series that ContextOptions::seed begins, or one that nobody foresees.
  uint64_t draw_seed();

 private:
  ContextOptions options_;
  std::unique_ptr<std::atomic<bool>> cancelled_ = std::make_unique<std::atomic<bool>>(false);
  std::chrono::steady_clock::time_point deadline_;
  uint64_t seeds_drawn_ = 0;
};

}  // namespace linnet
