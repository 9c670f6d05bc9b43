#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// A reduction of values into accumulators, which hold the result of the previous values.
struct NumberReduction {
  /// total[c] = f(total[c], x[r * pitch + c]) for r in [0, rows) in order, for c in [0, columns).
  void (*columns)(const void* x, int64_t rows, int64_t pitch, int64_t columns, void* total);
  /// *total = f(*total, x[i]) for i in [0, n), in partial results whose number and order depend on n alone.
  void (*row)(const void* x, int64_t n, void* total);
};

/// Sums of float64 in float64, or of int64 in int64, which wrap.
struct NumberSums {
  NumberReduction sum, sum_abs, sum_square, product;
};

/// Extremes of values of any type in that type. The result is NaN where any value is.
struct NumberExtremes {
  NumberReduction max, min;
};

/// Reductions with the same results on every instruction set.
struct NumberReduceKernels {
  NumberSums sums_f64, sums_s64;
  NumberExtremes f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;

  /// Returns the member for a dtype, or nullptr for dtypes that are not numbers. bool is treated as uint8.
  const NumberExtremes* extremes(DType dtype) const;
};

}  // namespace linnet
