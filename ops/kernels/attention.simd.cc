#include "kernels/attention.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr float kLowest = -__builtin_inff();

/// Returns a vector whose lanes add up to the product. Rows are read one after another, which is fastest for memory.
inline F32 dot_lanes(const float* q, const float* k, int64_t n) {
  F32 even(0.0f), odd(0.0f);
  int64_t d = 0;
  for (; d + 2 * kLanes <= n; d += 2 * kLanes) {
    even = xsimd::fma(load(q + d), load(k + d), even);
    odd = xsimd::fma(load(q + d + kLanes), load(k + d + kLanes), odd);
  }
  if (d + kLanes <= n) {
    even = xsimd::fma(load(q + d), load(k + d), even);
    d += kLanes;
  }
  if (d < n) odd = xsimd::fma(load_part(q + d, n - d), load_part(k + d, n - d), odd);
  return even + odd;
}

void dot_rows(const float* q, const float* k, int64_t pitch, int64_t rows, int64_t n, float* y) {
  for (int64_t j = 0; j < rows; ++j) y[j] = sum_lanes(dot_lanes(q, k + j * pitch, n));
}

template <int V>
void add_weighted_vectors(const float* p, const float* v, int64_t pitch, int64_t rows, float* y) {
  F32 sum[V];
  LINNET_UNROLL for (int c = 0; c < V; ++c) sum[c] = F32(0.0f);
  for (int64_t j = 0; j < rows; ++j, v += pitch) {
    const F32 weight(p[j]);
    LINNET_UNROLL for (int c = 0; c < V; ++c) sum[c] = xsimd::fma(weight, load(v + c * kLanes), sum[c]);
  }
  LINNET_UNROLL for (int c = 0; c < V; ++c) store(y + c * kLanes, load(y + c * kLanes) + sum[c]);
}

void add_weighted_part(const float* p, const float* v, int64_t pitch, int64_t rows, int64_t n, float* y) {
  F32 sum(0.0f);
  for (int64_t j = 0; j < rows; ++j) sum = xsimd::fma(F32(p[j]), load_part(v + j * pitch, n), sum);
  store_part(y, load_part(y, n) + sum, n);
}

void add_weighted_rows(const float* p, const float* v, int64_t pitch, int64_t rows, int64_t n, float* y) {
  int64_t d = 0;
  for (; d + 4 * kLanes <= n; d += 4 * kLanes) add_weighted_vectors<4>(p, v + d, pitch, rows, y + d);
  for (; d + kLanes <= n; d += kLanes) add_weighted_vectors<1>(p, v + d, pitch, rows, y + d);
  if (d < n) add_weighted_part(p, v + d, pitch, rows, n - d, y + d);
}

template <int V>
void add_outer_vectors(const float* p, const float* v, int64_t rows, float* y, int64_t pitch) {
  F32 x[V];
  LINNET_UNROLL for (int c = 0; c < V; ++c) x[c] = load(v + c * kLanes);
  for (int64_t j = 0; j < rows; ++j, y += pitch) {
    const F32 weight(p[j]);
    LINNET_UNROLL for (int c = 0; c < V; ++c) store(y + c * kLanes, xsimd::fma(weight, x[c], load(y + c * kLanes)));
  }
}

void add_outer_part(const float* p, const float* v, int64_t rows, int64_t n, float* y, int64_t pitch) {
  const F32 x = load_part(v, n);
  for (int64_t j = 0; j < rows; ++j, y += pitch) store_part(y, xsimd::fma(F32(p[j]), x, load_part(y, n)), n);
}

void add_outer_product(const float* p, const float* v, int64_t rows, int64_t n, float* y, int64_t pitch) {
  int64_t d = 0;
  for (; d + 4 * kLanes <= n; d += 4 * kLanes) add_outer_vectors<4>(p, v + d, rows, y + d, pitch);
  for (; d + kLanes <= n; d += kLanes) add_outer_vectors<1>(p, v + d, rows, y + d, pitch);
  if (d < n) add_outer_part(p, v + d, rows, n - d, y + d, pitch);
}

inline F32 biased(F32 x, F32 bias) { return xsimd::select(bias == F32(kLowest), bias, x + bias); }

float add_bias(float* x, const float* bias, int64_t n) {
  F32 most(kLowest);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F32 b = load(bias + i);
    most = xsimd::max(b, most);
    store(x + i, biased(load(x + i), b));
  }
  if (i < n) {
    const F32 b = load_part(bias + i, n - i, kLowest);
    most = xsimd::max(b, most);
    store_part(x + i, biased(load_part(x + i, n - i), b), n - i);
  }
  return max_lanes(most);
}

}  // namespace

void fill(AttentionKernels& k);

void fill(AttentionKernels& k) {
  k.dot_rows = dot_rows;
  k.add_weighted_rows = add_weighted_rows;
  k.add_outer_product = add_outer_product;
  k.add_bias = add_bias;
}

}  // namespace linnet::LINNET_SIMD_NS
