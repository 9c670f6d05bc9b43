#pragma once

#include <cstdint>

namespace linnet {

/// What becomes of the sums of a byte product, row by row and column j by column:
/// v = float(sum - row_sums[row] * w_zero[j]) * scale[j] + bias[j], and where there is a residual
/// v = round(min(grid_high, max(grid_low, v))) * grid_scale + (residual - residual_zero) * residual_scale;
/// then y = min(high, max(low, v)), and for bytes round(y) + zero. Ties are rounded to even.
struct RequantizeJob {
  const int32_t* sums = nullptr;  ///< rows of `columns` values, one after the other
  int64_t rows = 0, columns = 0;
  const int32_t* row_sums = nullptr;  ///< of the rows of A, where there is w_zero
  const int32_t* w_zero = nullptr;    ///< zero points of the columns of B; may be null
  const float* scale = nullptr;
  const float* bias = nullptr;        ///< may be null
  const uint8_t* residual = nullptr;  ///< the first row's; may be null
  int64_t residual_pitch = 0;         ///< values from one row to the next
  float residual_zero = 0, residual_scale = 1;
  bool grid = false;  ///< whether the product is rounded before the residual is added
  float grid_low = 0, grid_high = 0, grid_scale = 1;
  float low = 0, high = 0;  ///< of bytes: those of the type less `zero`, or narrower
  bool clamps = true;       ///< of bytes: false where low and high are the type's, and |v| < 2^31
  int32_t zero = 0;
  int64_t y_pitch = 0;  ///< values from one row of y to the next
};

/// A job without sums, w_zero or bias, and the first value of y.
struct ByteBlock {
  RequantizeJob job;
  uint8_t* y = nullptr;
};

/// All instruction sets give the same bits.
struct RequantizeKernels {
  void (*to_bytes)(const RequantizeJob& job, uint8_t* y);
  void (*to_floats)(const RequantizeJob& job, float* y);
};

}  // namespace linnet
