#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "linnet/executor.h"
#include "linnet/model.h"
#include "linnet/op.h"
#include "tensor/memory_account.h"

namespace linnet {

/// What a run and the runs of its control-flow bodies share, or the work before runs.
class RunEnvironment {
 public:
  /// `executor`: for options without an executor.
  RunEnvironment(const ContextOptions& options, std::shared_ptr<Executor> executor);
  /// The environment for loading, with the limits of the model's options. `account` may already have counted memory.
  static RunEnvironment loading(const Limits& limits, std::shared_ptr<MemoryAccount> account);
  /// The environment for constants that are computed before runs: the calling thread, no observer, and the limits of
  /// the work that this thread is doing. It permits only `checks` calls of check(), or 64 times as many chunks, because
  /// a caller could not end a long loop.
  static RunEnvironment folding(int64_t memory_bytes, int64_t checks);
  RunEnvironment(const RunEnvironment&) = delete;

  /// The executor. Its chunks begin with check_chunk().
  Executor& executor() const { return *options_.executor; }
  Observer* observer() const { return observer_.get(); }
  /// Allocates a tensor in ContextOptions::memory.
  Tensor allocate(DType dtype, const Shape& shape) const;
  /// Throws Error(kLimit) if a run may not use that many bytes.
  void check_memory(size_t bytes) const;
  const std::shared_ptr<MemoryAccount>& account() const { return account_; }

  /// Sets the deadline of a run that begins now.
  void begin_run(const RunOptions& options);
  /// Throws Error(kCancelled) if the run was cancelled, Error(kLimit) if it is past its deadline. It is called before
  /// each node and each iteration of a loop, and by kernels that may run for long. Any thread may call it.
  void check() const { check(kChunksOfCheck); }
  /// As check(), at the beginning of a chunk.
  void check_chunk() const { check(1); }
  /// As check(), before work that cannot be interrupted and takes at most `work`. Throws Error(kLimit) also if the
  /// deadline would pass during the work.
  void check_ahead(std::chrono::nanoseconds work) const;
  bool may_end() const { return cancellation_ || deadline_ != kNoDeadline || checks_left_ || account_; }

  /// The environment of the run or load that this thread works for; nullptr if it works for none.
  static const RunEnvironment* current();
  /// Makes the environment and its account the current ones of this thread.
  class Scope {
   public:
    explicit Scope(const RunEnvironment& environment);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    const RunEnvironment* before_;
    MemoryAccount::Scope account_;
  };

  /// Counts text that a kernel copies or makes, before it is known which value it becomes a part of. It counts until
  /// the innermost Texts of that time ends. Any thread may call it.
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

  /// A seed for a random operator: the next of the series that ContextOptions::seed begins, or an unpredictable one.
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
  int64_t allowed_ms_ = 0;  // set if Limits::deadline_ms determines the deadline
  uint64_t seeds_drawn_ = 0;
  mutable std::atomic<size_t> texts_{0};               // bytes of text of running kernels
  std::unique_ptr<std::atomic<int64_t>> checks_left_;  // in chunks; nullptr: no bound
};

/// Calls check() of the current environment, for work before a node's run.
void check_current();
/// Calls check_ahead() of the current environment.
void check_current_ahead(std::chrono::nanoseconds work);

/// Counts text that the kernel of this thread is about to copy or make, by RunEnvironment::take_text(), except what
/// fits into a std::string itself. Throws Error(kLimit) if that is too much.
void count_text(size_t characters);

/// Calls f() with the limits of loading, unless this thread already loads or runs.
template <class F>
decltype(auto) within_load_limits(const Limits& limits, const std::shared_ptr<MemoryAccount>& account, F&& f) {
  if (RunEnvironment::current()) return f();
  const RunEnvironment loading = RunEnvironment::loading(limits, account);
  const RunEnvironment::Scope scope(loading);
  return f();
}

/// The KernelContext of Linnet's own runs. Control flow runs its bodies in the same environment.
class RunContext : public KernelContext {
 public:
  explicit RunContext(RunEnvironment& environment) : environment_(environment) {}

  Executor& executor() final { return environment_.executor(); }
  void check() const final { environment_.check(); }
  void check_memory(size_t bytes) const final { environment_.check_memory(bytes); }
  uint64_t draw_seed() final { return environment_.draw_seed(); }
  RunEnvironment& environment() const { return environment_; }
  /// The memory that the run's caller gives for output i (RunOptions::outputs), or an empty tensor.
  virtual Tensor given_output(int /*output*/) const { return {}; }

 private:
  RunEnvironment& environment_;
};

/// Return the RunContext of a kernel, and its environment. Throw Error(kInternal) for contexts that are not Linnet's
/// own.
RunContext& run_context(KernelContext& context);
RunEnvironment& run_environment(KernelContext& context);

}  // namespace linnet
