#pragma once

#include <cstdint>

namespace linnet {

/// Kernels of the generator Philox4x32-10.
struct RandomKernels {
  /// For i in [0, n), computes the two numbers in [0, 1) of counter (first + i, run) and the key. u[i] comes from words
  /// 0 and 1, v[i] from words 2 and 3, from the upper 53 bits of each pair. See RandomStream.
  void (*uniform_pairs)(uint64_t key, uint64_t run, uint64_t first, int64_t n, double* u, double* v);
};

}  // namespace linnet
