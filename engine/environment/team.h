#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "linnet/executor.h"

namespace linnet {

/// Threads that stay at hand for one loop after the other: those that serve() take chunks of what the owner run()s.
/// A thread that waits spins for about 100 us, then sleeps; the owner never waits for one that has not begun. Each
/// begins with a part of the chunks that is its own, so that what one loop leaves in its caches the next one finds
/// there; then it helps the others.
class Team {
 public:
  /// threads: the owner and those that serve.
  explicit Team(int threads) : threads_(threads) {}
  /// On the owner's thread: calls function(chunk, 0) or has another thread call it with its worker number. The function
  /// must not throw.
  void run(int64_t chunks, ChunkFunction function);
  /// On other threads, with a worker number of their own from 1 on: until dismiss().
  void serve(int worker);
  void dismiss();
  /// A loop is running: the owner's chunks cannot run another.
  bool busy() const { return busy_; }

 private:
  // Of state_: how many threads take part in the loop, whether it is open to more, its number.
  static constexpr uint32_t kMembers = 0xfff, kClosed = 0x1000, kDismissed = 0x2000, kNext = 0x4000;

  static constexpr int kMostParts = 16;

  /// Adjacent chunks, of which those from `next` on are not taken yet.
  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  void divide(int64_t chunks);
  void take_chunks(int worker);
  /// Returns the state once done(state).
  template <class Done>
  uint32_t wait(const Done& done);
  bool join(uint32_t& last);

  alignas(64) std::atomic<uint32_t> state_{kClosed};
  std::array<Part, kMostParts> parts_;
  int part_count_ = 0;
  const int threads_;
  const ChunkFunction* function_ = nullptr;
  bool busy_ = false;
};

}  // namespace linnet
