#include "linnet/executor.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "environment/default_threads.h"
#include "environment/guarded.h"
#include "environment/processors.h"
#include "environment/team.h"

namespace linnet {
namespace {

class SerialExecutor final : public Executor {
 public:
  int workers() const override { return 1; }
  void parallel_for(int64_t chunks, ChunkFunction function) override { loop_alone(chunks, function); }
};

/// Counts the threads of an executor that are in use, including callers, so that simultaneous callers do not use more
/// than there are. In a forked child the count is 0, whatever the parent was doing.
class ThreadCount {
 public:
  /// Takes up to `wanted` threads, including the caller's; returns the number taken.
  int take(int wanted, int all) {
    const uint64_t process = uint64_t(::getpid()) << 32;
    uint64_t used = used_.load(std::memory_order_relaxed);
    while (true) {
      const uint64_t known = (used >> 32 << 32) == process ? used : process;
      const int taken = std::clamp(all - int(known & 0xffffffff), 1, wanted);
      if (used_.compare_exchange_weak(used, known + uint64_t(taken), std::memory_order_relaxed)) return taken;
    }
  }
  void give_back(int taken) { used_.fetch_sub(uint64_t(taken), std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> used_{0};  // the process id is in the upper half
};

/// Whether OpenMP's threads exist. They belong to the process that ran the first loop; a forked child would wait for
/// them forever.
bool has_openmp_threads() {
  static std::atomic<pid_t> owner{0};
  const pid_t process = ::getpid();
  pid_t none = 0;
  return owner.compare_exchange_strong(none, process) || none == process;
}

/// Starts threads that call take_part(1), take_part(2), ...: as many as the system permits.
template <class F>
std::vector<std::jthread> started(int count, const F& take_part) {
  std::vector<std::jthread> threads;
  try {
    for (int worker = 1; worker <= count; ++worker) threads.emplace_back(std::cref(take_part), worker);
  } catch (const std::exception&) {  // The threads that started do the work.
  }
  return threads;
}

/// How many of these threads, including the calling one, the system permits. OpenMP ends the process if a thread cannot
/// be started, so the calling thread, whose threads OpenMP keeps, first tries once.
int granted(int threads) {
  thread_local int known = 1;
  if (threads <= known) return threads;
  std::atomic<bool> tried = false;
  const auto wait = [&](int) { tried.wait(false); };
  int count = 1;
  {
    const std::vector<std::jthread> all = started(threads - 1, wait);
    count += int(all.size());
    tried = true;
    tried.notify_all();
  }
  if (count == threads) known = count;
  return count;
}

class OpenMpExecutor final : public Executor {
 public:
  explicit OpenMpExecutor(int threads) : threads_(threads) {}
  int workers() const override { return threads_; }

  void parallel_for(int64_t chunks, ChunkFunction function) override {
    if (threads_ == 1) return loop_alone(chunks, function);
    if (held_.executor == this) return loop_held(chunks, function);
    const Share share(*this, int(std::min<int64_t>(chunks, threads_)));
    if (share.threads <= 1 || !has_openmp_threads()) return loop_alone(chunks, function);
    const int threads = granted(share.threads);
    Guarded guarded(function);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) guarded.call(chunk, omp_get_thread_num());
    guarded.rethrow();
  }

  void hold(ChunkFunction body) override {
    if (threads_ == 1 || held_.executor) return body(0, 0);
    const Share share(*this, threads_);
    Guarded guarded(body);
    const bool openmp = share.threads > 1 && has_openmp_threads();
    const int threads = openmp ? granted(share.threads) : share.threads;
    Team team(threads);
    const auto take_part = [&](int worker) {
      if (worker > 0) return team.serve(worker);
      held_ = {this, threads > 1 ? &team : nullptr};
      guarded.call(0, 0);
      held_ = {};
      team.dismiss();
    };
    if (threads == 1) {
      take_part(0);
    } else if (openmp) {
#pragma omp parallel num_threads(threads)
      take_part(omp_get_thread_num());
    } else {
      const std::vector<std::jthread> others = started(threads - 1, take_part);
      take_part(0);
    }
    guarded.rethrow();
  }

 private:
  struct Held {
    const OpenMpExecutor* executor = nullptr;
    Team* team = nullptr;  // nullptr: the calling thread alone
  };
  struct Share {
    Share(OpenMpExecutor& executor, int wanted)
        : in_use(executor.in_use_), threads(in_use.take(std::max(wanted, 1), executor.threads_)) {}
    ~Share() { in_use.give_back(threads); }
    Share(const Share&) = delete;

    ThreadCount& in_use;
    const int threads;
  };

  static void loop_held(int64_t chunks, ChunkFunction function) {
    if (chunks <= 1 || !held_.team || held_.team->busy()) return loop_alone(chunks, function);
    Guarded guarded(function);
    held_.team->run(chunks, [&](int64_t chunk, int worker) { guarded.call(chunk, worker); });
    guarded.rethrow();
  }

  static thread_local Held held_;
  int threads_;
  ThreadCount in_use_;
};

thread_local OpenMpExecutor::Held OpenMpExecutor::held_;

}  // namespace

int default_threads() {
  const char* chosen = std::getenv("OMP_NUM_THREADS");
  return chosen && *chosen ? omp_get_max_threads() : available_processors();
}

std::shared_ptr<Executor> make_openmp_executor(int threads) {
  return std::make_shared<OpenMpExecutor>(threads > 0 ? threads : default_threads());
}

std::shared_ptr<Executor> make_serial_executor() { return std::make_shared<SerialExecutor>(); }

}  // namespace linnet
