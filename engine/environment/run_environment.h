#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "linnet/executor.h"
#include "linnet/model.h"
#include "linnet/op.h"
#include "tensor/memory_account.h"

namespace linnet {

/// What a run and the runs of control-flow bodies within it share, or the work before runs.
class RunEnvironment {
 public:
  /// `executor` is for options that name none.
  RunEnvironment(const ContextOptions& options, std::shared_ptr<Executor> executor);
  /// For loading: the limits are those of the model's options. `account` may be one that was begun before.
  static RunEnvironment loading(const Limits& limits, std::shared_ptr<MemoryAccount> account);
  /// For constants that are computed ahead of runs: the calling thread, no observer, the limits of what goes on on this
  /// thread, and only `checks` calls of check() or some more chunks, as no caller could end a long loop.
  static RunEnvironment folding(int64_t memory_bytes, int64_t checks);
  RunEnvironment(const RunEnvironment&) = delete;

  /// Its chunks begin with a check().
  Executor& executor() const { return *options_.executor; }
  Observer* observer() const { return observer_.get(); }
  /// A new tensor in ContextOptions::memory.
  Tensor allocate(DType dtype, const Shape& shape) const;
  /// Throws Error(kLimit) where a run may not use so many bytes.
  void check_memory(size_t bytes) const;
  const std::shared_ptr<MemoryAccount>& account() const { return account_; }

  /// Starts the clock of the deadline.
  void begin_run(const RunOptions& options);
  /// Throws Error(kCancelled) once the run is cancelled, Error(kLimit) past the deadline. Called before each node and
  /// each iteration of a loop, and by kernels that may run for long; any thread may.
  void check() const { check(kChunksOfCheck); }
  /// The same, at the beginning of a chunk.
  void check_chunk() const { check(1); }
  /// Before work that nothing can interrupt, with the most time that it may take: throws Error(kLimit) also where the
  /// deadline would pass meanwhile.
  void check_ahead(std::chrono::nanoseconds work) const;
  bool may_end() const { return cancellation_ || deadline_ != kNoDeadline || checks_left_ || account_; }

  /// What this thread works for; nullptr: nobody's run or load.
  static const RunEnvironment* current();
  /// Makes the environment the current one of this thread, and its account.
  class Scope {
   public:
    explicit Scope(const RunEnvironment& environment);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    const RunEnvironment* before_;
    MemoryAccount::Scope account_;
  };

  /// The text that a kernel copies or makes counts from then on, before it is known which value it becomes a part of:
  /// until the innermost Texts of that time ends. Any thread may call it.
  void take_text(size_t bytes) const;
  class Texts {
   public:
    explicit Texts(const RunEnvironment& environment) : environment_(environment), before_(environment.texts_) {}
    ~Texts();
    Texts(const Texts&) = delete;

   private:
    const RunEnvironment& environment_;
    size_t before_;
  };

  /// A seed for a random operator: the next of a series that ContextOptions::seed begins, or one that nobody foresees.
  uint64_t draw_seed();

 private:
  static constexpr int64_t kChunksOfCheck = 64;

  RunEnvironment(const ContextOptions& options, const char* what, std::shared_ptr<MemoryAccount> account,
                 int64_t chunks);
  void begin(std::chrono::steady_clock::time_point latest);
  void check(int64_t chunks) const;
  void check_deadline(std::chrono::nanoseconds ahead) const;

  ContextOptions options_;
  const char* what_ = "the run";  // in messages
  std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<const CancellationToken> cancellation_;
  std::shared_ptr<Observer> observer_;
  std::chrono::steady_clock::time_point deadline_ = kNoDeadline;
  int64_t allowed_ms_ = 0;  // where Limits::deadline_ms sets the deadline
  uint64_t seeds_drawn_ = 0;
  mutable std::atomic<size_t> texts_{0};               // bytes of text of kernels that run
  std::unique_ptr<std::atomic<int64_t>> checks_left_;  // in chunks; none: no bound
};

/// check() of the current environment, for work ahead of a node's run.
void check_current();
/// check_ahead() of the current environment.
void check_current_ahead(std::chrono::nanoseconds work);

/// Counts text that the kernel which this thread works for is about to copy or make, but what a std::string holds in
/// itself: RunEnvironment::take_text(). Throws Error(kLimit) where that is too much.
void count_text(size_t characters);

/// Counts text that the kernel which this thread works for is about to copy or make, but what a std::string holds in
/// itself: RunEnvironment::take_text(). Throws Error(kLimit) where that is too much.
void count_text(size_t characters);

/// Calls f() within the limits of loading, unless this thread loads or runs already.
template <class F>
decltype(auto) within_load_limits(const Limits& limits, const std::shared_ptr<MemoryAccount>& account, F&& f) {
  if (RunEnvironment::current()) return f();
  const RunEnvironment loading = RunEnvironment::loading(limits, account);
  const RunEnvironment::Scope scope(loading);
  return f();
}

/// What kernels see in Linnet's own runs. Control flow runs its bodies in the same environment.
class RunContext : public KernelContext {
 public:
  explicit RunContext(RunEnvironment& environment) : environment_(environment) {}

  Executor& executor() final { return environment_.executor(); }
  void check() const final { environment_.check(); }
  void check_memory(size_t bytes) const final { environment_.check_memory(bytes); }
  uint64_t draw_seed() final { return environment_.draw_seed(); }
  RunEnvironment& environment() const { return environment_; }
  /// Where the run's caller wants output i (RunOptions::outputs); none: anywhere.
  virtual Tensor given_output(int /*output*/) const { return {}; }

 private:
  RunEnvironment& environment_;
};

/// A context of Linnet's own, and its environment. Throws Error(kInternal) for others.
RunContext& run_context(KernelContext& context);
RunEnvironment& run_environment(KernelContext& context);

}  // namespace linnet
