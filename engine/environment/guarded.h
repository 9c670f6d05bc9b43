#pragma once

#include <atomic>
#include <exception>

#include "linnet/executor.h"

namespace linnet {

/// Runs all chunks on the calling thread.
inline void loop_alone(int64_t chunks, ChunkFunction function) {
  for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
}

/// Calls a function and stores the first exception, which must not leave the threads that call it.
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
  /// Rethrows the stored exception. Call it after the last call().
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  ChunkFunction function_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

}  // namespace linnet
