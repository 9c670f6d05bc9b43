#pragma once

// Included by *.simd.cc only: sine, cosine and tangent, computed in double in loops that compilers vectorise. Where
// there is fused multiply-add, sines and cosines of up to 2^17 are computed in float32.
#include <cstddef>
#include <cstdint>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// v = quadrant pi/2 + r for |v| < 2^20 and |r| <= pi/4. sin(r) and cos(r) are computed by Taylor polynomials.
struct Angle {
  double sin, cos;
  int64_t quadrant;
};

inline Angle reduce_angle(double v) {
  constexpr double kMagic = 0x1.8p52;
  const double shifted = v * 0x1.45f306dc9c883p-1 + kMagic;
  const double n = shifted - kMagic;
  // pi/2 in two parts. The first has 33 bits, so its product with n is exact.
  const double r = (v - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
  const double t = r * r;
  const double s = r * (1 + t * (-1.0 / 6 + t * (1.0 / 120 + t * (-1.0 / 5040 + t * (1.0 / 362880)))));
  const double c = 1 + t * (-0.5 + t * (1.0 / 24 + t * (-1.0 / 720 + t * (1.0 / 40320 - t * (1.0 / 3628800)))));
  return {s, c, __builtin_bit_cast(int64_t, shifted)};
}

inline double sin_of(const Angle& angle, int64_t quadrant) {
  const double y = (quadrant & 1) ? angle.cos : angle.sin;
  return (quadrant & 2) ? -y : y;
}

struct Sin {
  static double near(double v) {
    const Angle angle = reduce_angle(v);
    return sin_of(angle, angle.quadrant);
  }
  static double far(double v) { return __builtin_sin(v); }
};
struct Cos {
  static double near(double v) {
    const Angle angle = reduce_angle(v);
    return sin_of(angle, angle.quadrant + 1);
  }
  static double far(double v) { return __builtin_cos(v); }
};
struct Tan {
  static double near(double v) {
    const Angle angle = reduce_angle(v);
    const bool odd = angle.quadrant & 1;
    return (odd ? -angle.cos : angle.sin) / (odd ? angle.sin : angle.cos);
  }
  static double far(double v) { return __builtin_tan(v); }
};

inline constexpr int kBlock = 64;

template <class Function>
void trigonometric_block(const float* x, float* y, int n) {
  double v[kBlock] = {};
  float result[kBlock];
  bool all_small = true;
  for (int i = 0; i < n; ++i) v[i] = double(x[i]);
  for (int i = 0; i < kBlock; ++i) all_small &= __builtin_fabs(v[i]) < 0x1p20;
  for (int i = 0; i < kBlock; ++i) result[i] = float(Function::near(v[i]));
  for (int i = 0; i < n && !all_small; ++i) {
    if (!(__builtin_fabs(v[i]) < 0x1p20)) result[i] = float(Function::far(v[i]));
  }
  __builtin_memcpy(y, result, size_t(n) * sizeof(float));
}

template <class Function>
void trigonometric(const float* x, float* y, int64_t n, float, float) {
  for (int64_t i = 0; i < n; i += kBlock) {
    trigonometric_block<Function>(x + i, y + i, n - i < kBlock ? int(n - i) : kBlock);
  }
}

#if defined(__FMA__) || defined(__aarch64__)
inline constexpr float kMostFloatAngle = 0x1p17f;

/// Returns sin(x + quadrant pi/2) for |x| < 2^17, with x = n pi/2 + r. pi/2 is split into three parts (Cody and Waite),
/// and the product with the first one is exact. The polynomials are those of S. Moshier's Cephes.
inline F32 sin_of_quadrant(F32 x, int32_t quadrant) {
  const F32 shifted = xsimd::fma(x, F32(0x1.45f306p-1f), F32(kRoundMagic));
  const F32 n = shifted - F32(kRoundMagic);
  F32 r = xsimd::fma(n, F32(-0x1.921fb6p+0f), x);
  r = xsimd::fma(n, F32(0x1.777a5cp-25f), r);
  r = xsimd::fma(n, F32(0x1.ee59dap-50f), r);
  const F32 t = r * r;
  F32 s = xsimd::fma(F32(-0x1.994258p-13f), t, F32(0x1.110776p-7f));
  s = xsimd::fma(s, t, F32(-0x1.555548p-3f));
  s = xsimd::fma(s * t, r, r);
  F32 c = xsimd::fma(F32(0x1.99eb9cp-16f), t, F32(-0x1.6c0c34p-10f));
  c = xsimd::fma(c, t, F32(0x1.555554p-5f));
  c = xsimd::fma(t, F32(-0.5f), c * t * t) + F32(1.0f);
  const I32 q = bits_of(shifted) + I32(quadrant);
  const I32 odd = I32(0) - (q & I32(1));
  const I32 y = (bits_of(c) & odd) | (bits_of(s) & ~odd);
  const F32 result = float_of(y ^ ((q & I32(2)) << 30));
  return quadrant == 0 ? xsimd::select(x == F32(0.0f), x, result) : result;  // -0 is preserved
}

template <class Function, int kQuadrant>
void sine(const float* x, float* y, int64_t n, float, float) {
  for (int64_t i = 0; i < n; i += kLanes) {
    const int64_t count = n - i < kLanes ? n - i : kLanes;
    const F32 v = count == kLanes ? load(x + i) : load_part(x + i, count);
    if (!xsimd::all(magnitude_of(v) < F32(kMostFloatAngle))) {
      trigonometric_block<Function>(x + i, y + i, int(count));
    } else if (count == kLanes) {
      store(y + i, sin_of_quadrant(v, kQuadrant));
    } else {
      store_part(y + i, sin_of_quadrant(v, kQuadrant), count);
    }
  }
}
#else
template <class Function, int>
constexpr auto* sine = trigonometric<Function>;
#endif

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
