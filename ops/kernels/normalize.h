#pragma once

#include <cstdint>

namespace linnet {

/// Moments in float64 of the columns of a matrix of T, whose rows are added in order, in blocks.
template <class T>
struct ColumnMoments {
  /// Adds rows x[r * pitch + c], r in [0, rows), c in [0, columns), to `before` rows whose means and sums of squared
  /// distances from them are given. rows <= kBlockRows and columns <= kMostColumns.
  void (*add)(const T* x, int64_t rows, int64_t pitch, int64_t columns, int64_t before, double* means, double* squares);

  static constexpr int64_t kBlockRows = 64, kMostColumns = 512;
};

/// The functions of NormalizeKernels in float64.
struct DoubleNormalizeKernels {
  struct Moments {
    double mean, variance;
  };
  Moments (*moments)(const double* x, int64_t n);
  double (*mean_square)(const double* x, int64_t n);
  void (*normalize_row)(const double* x, const double* scale, const double* bias, double* y, int64_t n, double mean,
                        double factor);
  void (*normalize_channel)(const double* x, double* y, int64_t n, double mean, double factor, double bias);
  void (*normalize_channels_last)(const double* x, double* y, int64_t rows, int64_t n, const double* mean,
                                  const double* factor, const double* bias);
  void (*factors)(const double* scale, const double* variance, double epsilon, double* y, int64_t n);
};

/// Means, variances and the scaling that follows, in float32. Sums are taken in blocks and lanes of fixed order, so
/// results depend on the values and n alone.
struct NormalizeKernels {
  struct Moments {
    float mean;
    float variance;  ///< the population variance: the mean of (x - mean)^2
  };
  /// Returns the mean and variance of n >= 1 values, in two passes, so that a large mean does not cancel the variance.
  Moments (*moments)(const float* x, int64_t n);
  /// Returns the mean of x^2; n >= 1.
  float (*mean_square)(const float* x, int64_t n);
  /// y[i] = (x[i] - mean) * factor * scale[i] + bias[i]; bias may be null, x == y is allowed.
  void (*normalize_row)(const float* x, const float* scale, const float* bias, float* y, int64_t n, float mean,
                        float factor);
  /// y[i] = (x[i] - mean) * factor + bias; x == y is allowed.
  void (*normalize_channel)(const float* x, float* y, int64_t n, float mean, float factor, float bias);
  /// y[r][i] = (x[r][i] - mean[i]) * factor[i] + bias[i] for contiguous rows of n; x == y is allowed.
  void (*normalize_channels_last)(const float* x, float* y, int64_t rows, int64_t n, const float* mean,
                                  const float* factor, const float* bias);
  /// y[r][i] = max(low, x[r][i] * scale[i] + shift[i]) for rows of n values at distances of x_pitch and y_pitch; shift
  /// may be null.
  void (*scale_rows)(const float* x, int64_t x_pitch, float* y, int64_t y_pitch, int64_t rows, int64_t n,
                     const float* scale, const float* shift, float low);
  DoubleNormalizeKernels doubles;
  ColumnMoments<float> float_columns;
  ColumnMoments<double> double_columns;
  /// y[i] = scale[i] / sqrt(variance[i] + epsilon).
  void (*factors)(const double* scale, const double* variance, double epsilon, float* y, int64_t n);
  /// y[i] = a[i] * part + b[i] * (1 - part); a == y is allowed.
  void (*blend)(const double* a, const double* b, double part, double* y, int64_t n);
};

}  // namespace linnet
