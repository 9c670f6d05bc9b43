#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// A reduction of values in accumulators, which hold what the values before gave.
struct NumberReduction {
  /// total[c] = f(total[c], x[r * pitch + c]) for r in [0, rows), one after the other, for c in [0, columns).
  void (*columns)(const void* x, int64_t rows, int64_t pitch, int64_t columns, void* total);
  /// *total = f(*total, x[i]) for i in [0, n), in partial results of a number and order that depend on n alone.
  void (*row)(const void* x, int64_t n, void* total);
};

/// Of and in float64, or of and in int64, which wraps around.
struct NumberSums {
  NumberReduction sum, sum_abs, sum_square, product;
};

/// Of values of any type in that type. NaN where any is.
struct NumberExtremes {
  NumberReduction max, min;
};

/// Reductions with the same results on every instruction set.
struct NumberReduceKernels {
  NumberSums sums_f64, sums_s64;
  NumberExtremes f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;

  /// bool is taken as uint8. nullptr for other dtypes.
  const NumberExtremes* extremes(DType dtype) const;
};

}  // namespace linnet
