#pragma once

#include <cstdint>

namespace linnet {

/// float32 reductions. Sums are taken in blocks and lanes of fixed order. Results therefore depend on the values and
/// sizes alone, and errors grow far more slowly than with one running sum.
struct ReduceKernels {
  /// The reduction of n contiguous values; n >= 1.
  using Row = float (*)(const float* x, int64_t n);
  /// y[c] = the reduction of x[r * pitch + c] over r in [0, rows), for c in [0, columns); rows >= 1.
  using Columns = void (*)(const float* x, float* y, int64_t rows, int64_t pitch, int64_t columns);

  struct Pair {
    Row row;
    Columns columns;
  };
  Pair sum;
  Pair sum_abs;
  Pair sum_square;
  Pair max;  ///< NaN where any value is NaN
  Pair min;  ///< NaN where any value is NaN
  /// Returns the sum of a[i] * b[i]; n >= 0.
  float (*dot)(const float* a, const float* b, int64_t n);
  /// y[r] = dot(x + r * pitch, v, n) for r in [0, rows), bit-identical to it.
  void (*dots)(const float* x, int64_t rows, int64_t pitch, const float* v, int64_t n, float* y);
  /// y[r * y_pitch + i] += x[r * x_pitch + i] for r in [0, rows), i in [0, n); y does not overlap x.
  void (*add_rows)(const float* x, int64_t x_pitch, float* y, int64_t y_pitch, int64_t rows, int64_t n);
};

}  // namespace linnet
