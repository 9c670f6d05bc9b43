#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "linnet/executor.h"

namespace linnet {

/// Threads that stay ready for consecutive loops. Those that serve() take chunks of what the owner run()s. A thread
/// that waits spins for about 100 us, then sleeps; the owner never waits for one that has not begun. Each thread begins
/// with its own part of the chunks, so that consecutive loops find their data in its caches; then it helps the others.
class Team {
 public:
  /// threads: the number of threads, including the owner.
  explicit Team(int threads) : threads_(threads) {}
  /// Runs a loop on the owner's thread. Calls function(chunk, 0), or another thread calls it with its worker number.
  /// The function must not throw.
  void run(int64_t chunks, ChunkFunction function);
  /// Takes part in loops on another thread, whose worker number is at least 1, until dismiss().
  void serve(int worker);
  void dismiss();
  /// Whether a loop is running; the owner's chunks then cannot run another one.
  bool busy() const { return busy_; }

 private:
  // Parts of state_: the number of threads in the loop, whether the loop is closed to others, the number of the loop.
  static constexpr uint32_t kMembers = 0xfff, kClosed = 0x1000, kDismissed = 0x2000, kNext = 0x4000;

  static constexpr int kMostParts = 16;

  /// Consecutive chunks. Those from `next` on are not taken yet.
  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  void divide(int64_t chunks);
  void take_chunks(int worker);
  /// Waits until done(state); returns the state.
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
