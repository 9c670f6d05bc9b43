#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "environment/default_threads.h"
#include "environment/guarded.h"
#include "environment/team.h"

namespace linnet {
namespace {

/// If OMP_PROC_BIND binds threads, binds the calling thread to OpenMP's place `i`. It would otherwise share the place
/// of the thread that started it.
void take_place(int i) {
  const int places = omp_get_num_places();
  if (omp_get_proc_bind() == omp_proc_bind_false || places == 0) return;
  std::array<int, CPU_SETSIZE> processors;  // on the stack, because the system could refuse other memory
  const int count = omp_get_place_num_procs(i % places);
  if (count > CPU_SETSIZE) return;
  omp_get_place_proc_ids(i % places, processors.data());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : std::span(processors).first(size_t(count))) {
    if (processor < CPU_SETSIZE) CPU_SET(size_t(processor), &set);
  }
  ::sched_setaffinity(0, sizeof set, &set);
}

/// Threads of this process that serve a team, for one caller at a time. They start with the first loop.
class Pool {
 public:
  explicit Pool(int threads) : process(::getpid()), wanted_(threads - 1), team_(threads) {}
  ~Pool() { team_.dismiss(); }
  Pool(const Pool&) = delete;

  /// Whether the calling thread now owns the team. False if any thread already owns it, including the calling one.
  bool take() {
    if (!mutex_.try_lock()) return false;
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return true;
  }
  void give_back() {
    owner_.store(std::thread::id(), std::memory_order_relaxed);
    mutex_.unlock();
  }
  bool owned_by_caller() const { return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  bool busy() const { return team_.busy(); }
  /// Runs a loop. Only the owner may call it.
  void run(int64_t chunks, ChunkFunction function) {
    start();
    team_.run(chunks, function);
  }

  const pid_t process;

 private:
  void start() {
    try {
      for (; wanted_ > 0; --wanted_) threads_.emplace_back([this, worker = wanted_] { serve(worker); });
    } catch (const std::exception&) {  // The threads that started do the work.
      wanted_ = 0;
    }
  }

  void serve(int worker) {
    take_place(worker);
    team_.serve(worker);
  }

  int wanted_;  // number of threads that have not started
  Team team_;
  std::mutex mutex_;  // held by the owner
  std::atomic<std::thread::id> owner_{};
  std::vector<std::jthread> threads_;  // threads of the team, which outlives them
};

class Ownership {
 public:
  explicit Ownership(Pool& pool) : pool_(pool), taken_(!pool.owned_by_caller() && pool.take()) {}
  ~Ownership() {
    if (taken_) pool_.give_back();
  }
  Ownership(const Ownership&) = delete;

  /// Whether the calling thread owns the team and no loop is running.
  bool ready() const { return pool_.owned_by_caller() && !pool_.busy(); }

 private:
  Pool& pool_;
  const bool taken_;
};

class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int threads) : threads_(threads), pool_(new Pool(threads)) {}
  // The threads of a pool from before a fork() do not exist in this process, so that such a pool is leaked.
  ~ThreadExecutor() override {
    if (Pool* pool = pool_.load(); pool->process == ::getpid()) delete pool;
  }
  ThreadExecutor(const ThreadExecutor&) = delete;

  int workers() const override { return threads_; }

  void parallel_for(int64_t chunks, ChunkFunction function) override {
    if (threads_ == 1 || chunks <= 1) return loop_alone(chunks, function);
    Pool& own = pool();
    const Ownership ownership(own);
    if (!ownership.ready()) return loop_alone(chunks, function);
    Guarded guarded(function);
    own.run(chunks, [&](int64_t chunk, int worker) { guarded.call(chunk, worker); });
    guarded.rethrow();
  }

  void hold(ChunkFunction body) override {
    if (threads_ == 1) return body(0, 0);
    const Ownership ownership(pool());
    body(0, 0);
  }

 private:
  /// The pool of this process.
  Pool& pool() {
    Pool* known = pool_.load(std::memory_order_acquire);
    if (known->owned_by_caller() || known->process == ::getpid()) return *known;
    auto fresh = std::make_unique<Pool>(threads_);
    if (pool_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *known;
  }

  const int threads_;
  std::atomic<Pool*> pool_;
};

}  // namespace

std::shared_ptr<Executor> make_thread_executor(int threads) {
  return std::make_shared<ThreadExecutor>(threads > 0 ? threads : default_threads());
}

}  // namespace linnet
