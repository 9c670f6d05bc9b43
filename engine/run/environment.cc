#include "run/environment.h"

#include <random>

namespace linnet {

RunEnvironment::RunEnvironment(const ContextOptions& options) : options_(options) {
  if (!options_.executor) options_.executor = make_openmp_executor();
}

RunEnvironment RunEnvironment::serial() {
  return RunEnvironment({.executor = make_serial_executor(), .observer = nullptr, .limits = {}, .seed = {}});
}

void RunEnvironment::begin_run() {
  *cancelled_ = false;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.limits.deadline_ms);
}

uint64_t RunEnvironment::draw_seed() {
  if (options_.seed) return *options_.seed + seeds_drawn_++;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void RunEnvironment::check() const {
  if (cancelled_->load(std::memory_order_relaxed)) throw Error(ErrorKind::kCancelled, "the run was cancelled");
  if (options_.limits.deadline_ms > 0 && std::chrono::steady_clock::now() > deadline_) {
    throw Error(ErrorKind::kLimit, str("the run exceeds the deadline of ", options_.limits.deadline_ms, " ms"));
  }
}

}  // namespace linnet
