#include "linnet/executor.h"

#include <omp.h>

#include <atomic>
#include <exception>

#include "environment/team.h"

namespace linnet {
namespace {

class SerialExecutor final : public Executor {
 public:
  int workers() const override { return 1; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
  }
};

/// Calls a function and keeps the first exception, which must not leave the threads it is called from.
class Guarded {
 public:
  explicit Guarded(ChunkFunction function) : function_(function) {}

  void call(int64_t chunk, int worker) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      function_(chunk, worker);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  /// Behind the last call.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  ChunkFunction function_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

class OpenMpExecutor final : public Executor {
 public:
  explicit OpenMpExecutor(int threads) : threads_(threads) {}
  int workers() const override { return threads_; }

  void parallel_for(int64_t chunks, ChunkFunction function) override {
    Team* const team = held_.executor == this ? held_.team : nullptr;
    if (threads_ == 1 || chunks <= 1 || (team && team->busy())) {
      for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
      return;
    }
    Guarded guarded(function);
    if (team) {
      team->run(chunks, [&](int64_t chunk, int worker) { guarded.call(chunk, worker); });
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
      for (int64_t chunk = 0; chunk < chunks; ++chunk) guarded.call(chunk, omp_get_thread_num());
    }
    guarded.rethrow();
  }

  void hold(ChunkFunction body) override {
    if (threads_ == 1 || held_.executor) return body(0, 0);
    Guarded guarded(body);
    Team team;
#pragma omp parallel num_threads(threads_)
    if (omp_get_thread_num() == 0) {
      held_ = {this, &team};
      guarded.call(0, 0);
      held_ = {};
      team.dismiss();
    } else {
      team.serve(omp_get_thread_num());
    }
    guarded.rethrow();
  }

 private:
  struct Held {
    const OpenMpExecutor* executor = nullptr;
    Team* team = nullptr;
  };

  static thread_local Held held_;
  int threads_;
};

thread_local OpenMpExecutor::Held OpenMpExecutor::held_;

}  // namespace

std::shared_ptr<Executor> make_openmp_executor(int threads) {
  return std::make_shared<OpenMpExecutor>(threads > 0 ? threads : omp_get_num_procs());
}

std::shared_ptr<Executor> make_serial_executor() { return std::make_shared<SerialExecutor>(); }

}  // namespace linnet
