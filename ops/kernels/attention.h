#pragma once

#include <cstdint>

namespace linnet {

/// The float32 kernels of attention, including the linear kind, other than matrix products and softmax. Results depend
/// on the values and sizes alone.
struct AttentionKernels {
  /// y[j] = sum over d < n of q[d] * k[j * pitch + d], for j < rows.
  void (*dot_rows)(const float* q, const float* k, int64_t pitch, int64_t rows, int64_t n, float* y);
  /// y[d] += sum over j < rows of p[j] * v[j * pitch + d], for d < n.
  void (*add_weighted_rows)(const float* p, const float* v, int64_t pitch, int64_t rows, int64_t n, float* y);
  /// y[j * pitch + d] += p[j] * v[d], for j < rows, d < n.
  void (*add_outer_product)(const float* p, const float* v, int64_t rows, int64_t n, float* y, int64_t pitch);
  /// Adds bias[j] to x[j], or sets x[j] to -infinity where bias[j] is -infinity, whatever x[j] was. Returns the largest
  /// bias, or -infinity for n = 0.
  float (*add_bias)(float* x, const float* bias, int64_t n);
};

}  // namespace linnet
