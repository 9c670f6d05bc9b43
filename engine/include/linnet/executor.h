#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "linnet/export.h"

namespace linnet {

/// A non-owning reference to a callable that takes a chunk index and a worker index.
class ChunkFunction {
 public:
  /// Refers to a callable with the parameters (int64_t chunk, int worker), which must outlive this object.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, ChunkFunction>)
      ChunkFunction(F&& function)  // NOLINT: implicit by design
      : object_(const_cast<void*>(static_cast<const void*>(&function))),
        call_([](void* object, int64_t chunk, int worker) {
          (*static_cast<std::remove_reference_t<F>*>(object))(chunk, worker);
        }) {}

  /// Calls it.
  void operator()(int64_t chunk, int worker) const { call_(object_, chunk, worker); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int);
};

/// The source of the threads that kernels run on. Applications may implement it over their own thread pool.
class LINNET_API Executor {
 public:
  virtual ~Executor() = default;
  /// The maximum number of workers that run at once. Scratch memory is planned per worker.
  virtual int workers() const = 0;
  /// Calls function(chunk, worker) exactly once for every chunk in [0, chunks) and returns when all calls are done.
  /// `worker` is in [0, workers()); no two calls with the same worker overlap. An exception that a call throws is
  /// rethrown by parallel_for().
  virtual void parallel_for(int64_t chunks, ChunkFunction function) = 0;
  /// Calls body(0, 0) on the calling thread. The body calls parallel_for() many times; an executor may keep its threads
  /// ready for that long.
  virtual void hold(ChunkFunction body) { body(0, 0); }
};

/// An executor with its own threads, shared with no other library. They start with the first loop and end with the
/// executor. 0 threads means OMP_NUM_THREADS if it is set, otherwise the number of processors that the CPU affinity of
/// the process and the quota of its control group allow. Between loops the threads spin for about 100 us, then sleep; a
/// loop does not wait for a thread that has not begun. If several callers run loops at once, one gets all threads and
/// the others run on their own thread alone. In the child of a fork() the executor starts new threads.
LINNET_API std::shared_ptr<Executor> make_thread_executor(int threads = 0);
/// An executor on OpenMP's threads, as many as make_thread_executor() would use; for programs whose own loops use
/// OpenMP. During a run that is long enough, they wait between loops as those of make_thread_executor() do. Between
/// runs, OpenMP's wait policy (OMP_WAIT_POLICY) applies. Each run ends only when all threads have reached its end,
/// however busy the machine is. If several callers run loops at once, each gets the threads that the others leave, but
/// always its own. In the child of a fork(), where OpenMP's threads do not exist, each run that is long enough starts
/// its own threads.
LINNET_API std::shared_ptr<Executor> make_openmp_executor(int threads = 0);
/// An executor that uses the calling thread alone.
LINNET_API std::shared_ptr<Executor> make_serial_executor();

}  // namespace linnet
