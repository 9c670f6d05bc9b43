#pragma once

#include <cstdint>

#include "linnet/op.h"

namespace linnet {

/// Asks within a chunk that may take long whether the run is to end: about every millisecond.
class Checkpoints {
 public:
  /// Multiplications, samples, comparisons: what takes about a nanosecond.
  static constexpr int64_t kWork = int64_t{1} << 20;

  explicit Checkpoints(const KernelContext& context) : context_(context) {}

  void add(int64_t work) {
    left_ -= work;
    if (left_ > 0) return;
    context_.check();
    left_ = kWork;
  }

 private:
  const KernelContext& context_;
  int64_t left_ = kWork;
};

}  // namespace linnet
