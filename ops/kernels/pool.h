#pragma once

#include <cstdint>

namespace linnet {

/// Reductions over rows of n contiguous floats. The rows of a pooling window, or of a resized pixel's neighbourhood,
/// are its pixels where data is channels-last (n channels) or its lines where it is channels-first (n columns).
struct PoolKernels {
  /// y[i] = the largest taps[t][i]; NaN where any is NaN. num_taps >= 1.
  void (*max_f32)(const float* const* taps, int64_t num_taps, int64_t n, float* y);
  /// y[i] = (sum over t of taps[t][i]) / divisor, summed in the order of taps. num_taps >= 0.
  void (*mean_f32)(const float* const* taps, int64_t num_taps, float divisor, int64_t n, float* y);
  /// y[i] = sum over t of weights[t] * taps[t][i], in the order of taps. num_taps >= 1.
  void (*weighted_f32)(const float* const* taps, const float* weights, int64_t num_taps, int64_t n, float* y);
  /// The largest, or the mean, over num_rows rows that lie `pitch` floats apart.
  void (*max_rows_f32)(const float* x, int64_t num_rows, int64_t pitch, int64_t n, float* y);
  void (*mean_rows_f32)(const float* x, int64_t num_rows, int64_t pitch, float divisor, int64_t n, float* y);
  /// Sum and maximum of n contiguous floats; the sum runs in a fixed number of partial sums.
  float (*sum_f32)(const float* x, int64_t n);
  float (*maximum_f32)(const float* x, int64_t n);
};

}  // namespace linnet
