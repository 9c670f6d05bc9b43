#pragma once

// Included by *.simd.cc only: bytes as multiples of a scale, counted from a zero point.
#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class T>
inline constexpr float kLeast = float(T(-1) < 0 ? -128 : 0);

/// Returns x where it is above the bound, else the bound. NaN becomes the bound.
inline F32 above(F32 x, F32 bound) {
#if defined(__aarch64__)
  return xsimd::select(x > bound, x, bound);
#else
  return xsimd::max(x, bound);
#endif
}

/// One scale and one zero point per lane.
template <class T>
struct Grid {
  F32 scale, zero_point;

  /// The distances from the zero point to the least and the greatest byte.
  F32 least() const { return F32(kLeast<T>) - zero_point; }
  F32 greatest() const { return F32(kLeast<T> + 255.0f) - zero_point; }
};

/// Returns the quotients as integers. The bounds are integers, so they may be applied before rounding.
template <class T>
inline I32 divided(F32 x, const Grid<T>& grid) {
  const F32 bounded = xsimd::min(above(x / grid.scale, grid.least()), grid.greatest());
  return nearest(bounded) + xsimd::to_int(grid.zero_point);
}

/// Calls whole(i) for the first elements of whole vectors, and rest(i, count) for the tail.
template <class Whole, class Rest>
inline void for_vectors(int64_t n, const Whole& whole, const Rest& rest) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) whole(i);
  if (i < n) rest(i, size_t(n - i));
}

template <class T>
inline F32 dequantized(const T* x, const Grid<T>& grid) {
  return (xsimd::to_float(widen(x)) - grid.zero_point) * grid.scale;
}

inline constexpr int kVectors = 4;  // vectors whose bytes are stored together

/// Stores four vectors of quotients, none far above all bytes, as bytes. Returns false where a byte may be wrong: where
/// a quotient is closer to the middle between two integers than 0.5 - `near_middle`, or does not fit an integer.
template <class T>
inline bool round_four(const F32 (&quotient)[kVectors], F32 near_middle, float zero_point, T* y) {
  I32 rounded[kVectors];
  F32 farthest(0.0f);
  LINNET_UNROLL
  for (int k = 0; k < kVectors; ++k) {
    rounded[k] = nearest(quotient[k]);
    // For NaN, x86 returns the second operand. That is correct here: NaN has become the least integer.
    farthest = xsimd::max(magnitude_of(quotient[k] - xsimd::to_float(rounded[k])), farthest);
  }
  narrow_four(rounded, int16_t(zero_point), y);
  return xsimd::all(farthest <= near_middle);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
