#pragma once

#include <cstdint>

namespace linnet {

/// What attention, also the linear kind, needs on float32 besides matrix products and softmax. Results depend on the
/// values and sizes alone.
struct AttentionKernels {
  /// y[j] = sum over d < n of q[d] * k[j * pitch + d], for j < rows.
  void (*dot_rows)(const float* q, const float* k, int64_t pitch, int64_t rows, int64_t n, float* y);
  /// y[d] += sum over j < rows of p[j] * v[j * pitch + d], for d < n.
  void (*add_weighted_rows)(const float* p, const float* v, int64_t pitch, int64_t rows, int64_t n, float* y);
  /// y[j * pitch + d] += p[j] * v[d], for j < rows, d < n.
  void (*add_outer_product)(const float* p, const float* v, int64_t rows, int64_t n, float* y, int64_t pitch);
  /// x[j] += bias[j], and -infinity where bias[j] is, whatever x[j] was. Gives the largest bias, -infinity for n = 0.
  float (*add_bias)(float* x, const float* bias, int64_t n);
};

}  // namespace linnet
