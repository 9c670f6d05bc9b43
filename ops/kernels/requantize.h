#pragma once

#include <cstdint>

namespace linnet {

/// The transformation of the sums of a byte product, row by row and column j by column:
/// - v = float(sum - row_sums[row] * w_zero[j]) * scale[j] + bias[j].
/// - If there is a residual, v = round(min(grid_high, max(grid_low, v))) * grid_scale + (residual - residual_zero) *
///   residual_scale.
/// - y = min(high, max(low, v)); for bytes, y = round(min(high, max(low, v))) + zero.
/// Ties are rounded to even.
struct RequantizeJob {
  const int32_t* sums = nullptr;  ///< contiguous rows of `columns` values
  int64_t rows = 0, columns = 0;
  const int32_t* row_sums = nullptr;  ///< for the rows of A; needed with w_zero
  const int32_t* w_zero = nullptr;    ///< zero points of the columns of B; may be null
  const float* scale = nullptr;
  const float* bias = nullptr;        ///< may be null
  const uint8_t* residual = nullptr;  ///< first row of the residual; may be null
  int64_t residual_pitch = 0;         ///< distance in values from one row to the next
  float residual_zero = 0, residual_scale = 1;
  bool grid = false;  ///< whether the product is rounded before the residual is added
  float grid_low = 0, grid_high = 0, grid_scale = 1;
  float low = 0, high = 0;  ///< for bytes: the bounds of the type less `zero`, or narrower ones
  bool clamps = true;       ///< for bytes: false where low and high are the type's bounds and |v| < 2^31
  int32_t zero = 0;
  int64_t y_pitch = 0;  ///< distance in values from one row of y to the next
};

/// A job without sums, w_zero or bias, and the first value of y.
struct ByteBlock {
  RequantizeJob job;
  uint8_t* y = nullptr;
};

/// Results are bit-identical on all instruction sets.
struct RequantizeKernels {
  void (*to_bytes)(const RequantizeJob& job, uint8_t* y);
  void (*to_floats)(const RequantizeJob& job, float* y);
};

}  // namespace linnet
