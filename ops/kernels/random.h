#pragma once

#include <cstdint>

namespace linnet {

/// Of Philox4x32-10.
struct RandomKernels {
  /// For i in [0, n) the two numbers in [0, 1) of counter (first + i, run) and the key: u[i] of words 0 and 1, v[i] of
  /// words 2 and 3, the upper 53 bits each. See RandomStream.
  void (*uniform_pairs)(uint64_t key, uint64_t run, uint64_t first, int64_t n, double* u, double* v);
};

}  // namespace linnet
