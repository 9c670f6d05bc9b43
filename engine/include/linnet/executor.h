#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "linnet/export.h"

namespace linnet {

/// A non-owning reference to a callable taking a chunk index.
class ChunkFunction {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, ChunkFunction>)
      ChunkFunction(F&& function)  // NOLINT: implicit by design
      : object_(const_cast<void*>(static_cast<const void*>(&function))),
        call_([](void* object, int64_t chunk, int worker) {
          (*static_cast<std::remove_reference_t<F>*>(object))(chunk, worker);
        }) {}

  void operator()(int64_t chunk, int worker) const { call_(object_, chunk, worker); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int);
};

/// Where kernels get their threads from. Applications may implement it on a pool of their own.
class LINNET_API Executor {
 public:
  virtual ~Executor() = default;
  /// How many workers run at once at the most; scratch memory is planned per worker.
  virtual int workers() const = 0;
  /// Calls function(chunk, worker) for every chunk in [0, chunks), each once, and returns when all are done.
  /// worker is in [0, workers()); no two calls with the same worker overlap. What a call throws leaves parallel_for().
  virtual void parallel_for(int64_t chunks, ChunkFunction function) = 0;
  /// Calls body(0, 0) on the calling thread, which calls parallel_for() many times: an executor may hold its threads
  /// ready for that long.
  virtual void hold(ChunkFunction body) { body(0, 0); }
};

/// Threads of its own, which no other library knows of, which start with the first loop and end with the executor; 0:
/// OMP_NUM_THREADS, else as many as there are processors that the process may use by its CPU affinity and the quota of
/// its control group. Between loops they spin for about 100 us, then sleep, and nobody waits for one that has not
/// begun. Of several callers at a time one gets all of its threads, the others run alone. In the child of a fork() it
/// starts new threads.
LINNET_API std::shared_ptr<Executor> make_thread_executor(int threads = 0);
/// OpenMP's threads, as many as make_thread_executor() would take: for programs whose own loops use these, too. Between
/// the loops of a run that is long enough they behave as those do; between runs, OpenMP's wait policy (OMP_WAIT_POLICY)
/// rules, and each run ends when all have come to its end, however busy the machine is. Of several callers at a time
/// each gets what the others leave of its threads, but always the calling one. In the child of a fork(), where OpenMP's
/// threads do not exist, each run that is long enough starts threads of its own.
LINNET_API std::shared_ptr<Executor> make_openmp_executor(int threads = 0);
/// The calling thread alone.
LINNET_API std::shared_ptr<Executor> make_serial_executor();

}  // namespace linnet
