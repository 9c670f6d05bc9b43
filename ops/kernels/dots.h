#pragma once

#include <cstdint>

namespace linnet {

/// Of float64 values x [width] and the rows of a float32 matrix [count, width], added up in an order that depends on
/// the width alone: the same bits on every instruction set.
struct DotKernels {
  /// out[i] = the sum of x[k] * rows[i, k].
  void (*products)(const double* x, const float* rows, int64_t count, int64_t width, double* out);
  /// out[i] = the sum of (x[k] - rows[i, k])^2.
  void (*distances)(const double* x, const float* rows, int64_t count, int64_t width, double* out);
};

}  // namespace linnet
