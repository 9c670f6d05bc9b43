#pragma once

// Included by *.simd.cc only: sine and cosine. Computed in double, in loops that compilers vectorise.
#include <cstddef>
#include <cstdint>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// sin(v + quadrant pi/2) for |v| < 2^20, by Taylor polynomials on [-pi/4, pi/4].
inline double sin_of_quadrant(double v, int64_t quadrant) {
  constexpr double kMagic = 0x1.8p52;
  const double shifted = v * 0x1.45f306dc9c883p-1 + kMagic;
  const double n = shifted - kMagic;
  // pi/2 in two parts: the first has 33 bits, so that its product with n is exact.
  const double r = (v - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
  const double t = r * r;
  const double s = r * (1 + t * (-1.0 / 6 + t * (1.0 / 120 + t * (-1.0 / 5040 + t * (1.0 / 362880)))));
  const double c = 1 + t * (-0.5 + t * (1.0 / 24 + t * (-1.0 / 720 + t * (1.0 / 40320 - t * (1.0 / 3628800)))));
  const int64_t q = __builtin_bit_cast(int64_t, shifted) + quadrant;
  const double y = (q & 1) ? c : s;
  return (q & 2) ? -y : y;
}

inline constexpr int kBlock = 64;

template <int kQuadrant>
void sin_block(const float* x, float* y, int n) {
  double v[kBlock] = {};
  float result[kBlock];
  bool all_small = true;
  for (int i = 0; i < n; ++i) v[i] = double(x[i]);
  for (int i = 0; i < kBlock; ++i) all_small &= __builtin_fabs(v[i]) < 0x1p20;
  for (int i = 0; i < kBlock; ++i) result[i] = float(sin_of_quadrant(v[i], kQuadrant));
  for (int i = 0; i < n && !all_small; ++i) {
    if (!(__builtin_fabs(v[i]) < 0x1p20)) result[i] = float(kQuadrant ? __builtin_cos(v[i]) : __builtin_sin(v[i]));
  }
  __builtin_memcpy(y, result, size_t(n) * sizeof(float));
}

template <int kQuadrant>
void sin_cos(const float* x, float* y, int64_t n, float, float) {
  for (int64_t i = 0; i < n; i += kBlock) sin_block<kQuadrant>(x + i, y + i, n - i < kBlock ? int(n - i) : kBlock);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
