#pragma once

#include <cstdint>

namespace linnet {

/// Reductions over rows of n contiguous elements. The rows of a pooling window, or of a resized pixel's neighbourhood,
/// are its pixels where data is channels-last (n channels) and its lines where it is channels-first (n columns). Taps
/// are the addresses of rows; other rows are `pitch` elements apart.

/// The maximum. It is NaN where any value is NaN. There is at least one value.
template <class T>
struct MaxKernels {
  /// y[i] = the largest taps[t][i].
  void (*taps)(const T* const* taps, int64_t num_taps, int64_t n, T* y);
  void (*rows)(const T* x, int64_t num_rows, int64_t pitch, int64_t n, T* y);
  /// Returns the maximum of n contiguous elements.
  T (*line)(const T* x, int64_t n);
};

/// y[i] = (the sum of bytes in column i - offset) * factor. The sum is exact up to 2^22 rows.
template <class T>
struct ByteMeanKernels {
  void (*taps)(const T* const* taps, int64_t num_taps, int64_t n, int32_t offset, float factor, float* y);
  void (*rows)(const T* x, int64_t num_rows, int64_t pitch, int64_t n, int32_t offset, float factor, float* y);
};

struct PoolKernels {
  MaxKernels<float> max_f32;
  MaxKernels<uint8_t> max_u8;
  MaxKernels<int8_t> max_s8;
  ByteMeanKernels<uint8_t> mean_u8;
  ByteMeanKernels<int8_t> mean_s8;
  /// y[i] = (sum over t of taps[t][i]) / divisor, summed in the order of taps. num_taps >= 0.
  void (*mean_f32)(const float* const* taps, int64_t num_taps, float divisor, int64_t n, float* y);
  /// y[i] = sum over t of weights[t] * taps[t][i], in the order of taps. num_taps >= 1.
  void (*weighted_f32)(const float* const* taps, const float* weights, int64_t num_taps, int64_t n, float* y);
  /// y[i] = weights[0][i] * x[index[0][i]] + weights[1][i] * x[index[1][i]]. Whole vectors of indices and weights are
  /// read: their number is rounded up to a multiple of kPairBlock.
  void (*pairs_f32)(const float* x, const int32_t* const* index, const float* const* weights, int64_t n, float* y);
  static constexpr int64_t kPairBlock = 16;
  void (*mean_rows_f32)(const float* x, int64_t num_rows, int64_t pitch, float divisor, int64_t n, float* y);
  /// Returns the sum of n contiguous floats, in a fixed number of partial sums.
  float (*sum_f32)(const float* x, int64_t n);
};

}  // namespace linnet
