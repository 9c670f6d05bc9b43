#include "environment/team.h"

namespace linnet {
namespace {

constexpr int kSpins = 2000;

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
  for (int i = 0; i < kSpins && !done(state); ++i) {
    relax();
    state = state_.load(std::memory_order_acquire);
  }
  for (; !done(state); state = state_.load(std::memory_order_acquire)) state_.wait(state, std::memory_order_acquire);
  return state;
}

void Team::take_chunks(int worker) {
  while (true) {
    const int64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks_) return;
    (*function_)(chunk, worker);
  }
}

void Team::run(int64_t chunks, ChunkFunction function) {
  busy_ = true;
  chunks_ = chunks;
  function_ = &function;
  next_.store(0, std::memory_order_relaxed);
  const uint32_t number = state_.load(std::memory_order_relaxed) & ~(kNext - 1);
  state_.store(number + kNext, std::memory_order_release);
  state_.notify_all();
  take_chunks(0);
  state_.fetch_or(kClosed, std::memory_order_acquire);
  wait([](uint32_t state) { return (state & kMembers) == 0; });
  busy_ = false;
}

/// Waits for a loop other than `last` and takes part in it; false once dismissed.
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
