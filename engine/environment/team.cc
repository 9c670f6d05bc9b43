#include "environment/team.h"

#include <algorithm>
#include <chrono>

namespace linnet {
namespace {

using Clock = std::chrono::steady_clock;

// Waking a thread takes about 30 us. A thread spins for a few times as long, because the next loop of a run usually
// begins sooner. The time is measured by the clock, because a pause takes 10 ns on some processors and 50 ns on others.
constexpr std::chrono::microseconds kSpin(100);
constexpr int kPauses = 64;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

template <class Done>
uint32_t Team::wait(const Done& done) {
  uint32_t state = state_.load(std::memory_order_acquire);
  const auto spin = [&](int pauses) {
    for (int i = 0; i < pauses && !done(state); ++i) {
      relax();
      state = state_.load(std::memory_order_acquire);
    }
    return !done(state);
  };
  if (spin(kPauses)) {
    const auto end = Clock::now() + kSpin;
    while (spin(kPauses) && Clock::now() < end) continue;
  }
  for (; !done(state); state = state_.load(std::memory_order_acquire)) state_.wait(state, std::memory_order_acquire);
  return state;
}

void Team::divide(int64_t chunks) {
  part_count_ = int(std::clamp<int64_t>(chunks, 1, std::min(threads_, kMostParts)));
  const int64_t size = chunks / part_count_, larger = chunks % part_count_;
  int64_t begin = 0;
  for (int i = 0; i < part_count_; ++i) {
    Part& part = parts_[size_t(i)];
    part.next.store(begin, std::memory_order_relaxed);
    part.end = begin += size + (i < larger);
  }
}

void Team::take_chunks(int worker) {
  for (int i = 0; i < part_count_; ++i) {
    Part& part = parts_[size_t((worker + i) % part_count_)];
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      const int64_t chunk = part.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk < part.end) (*function_)(chunk, worker);
    }
  }
}

void Team::run(int64_t chunks, ChunkFunction function) {
  busy_ = true;
  divide(chunks);
  function_ = &function;
  const uint32_t number = state_.load(std::memory_order_relaxed) & ~(kNext - 1);
  state_.store(number + kNext, std::memory_order_release);
  state_.notify_all();
  take_chunks(0);
  state_.fetch_or(kClosed, std::memory_order_acquire);
  wait([](uint32_t state) { return (state & kMembers) == 0; });
  busy_ = false;
}

/// Waits for a loop other than `last` and takes part in it. False once dismissed.
bool Team::join(uint32_t& last) {
  while (true) {
    uint32_t state = wait([&](uint32_t s) { return (s & kDismissed) || (!(s & kClosed) && s / kNext != last); });
    if (state & kDismissed) return false;
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) {
      last = state / kNext;
      return true;
    }
  }
}

void Team::serve(int worker) {
  uint32_t last = 0;
  while (join(last)) {
    take_chunks(worker);
    if ((state_.fetch_sub(1, std::memory_order_release) & kMembers) == 1) state_.notify_all();
  }
}

void Team::dismiss() {
  state_.fetch_or(kDismissed, std::memory_order_release);
  state_.notify_all();
}

}  // namespace linnet
