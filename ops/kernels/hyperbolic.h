#pragma once

// Included by *.simd.cc only: hyperbolic functions and their inverses on whole vectors.
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns e^x / 2 for x >= 0, which becomes infinite later than e^x.
inline F32 half_exp(F32 x) {
  ExpArgument a = reduce_exp(at_most(F32(91.0f), x));
  a.shifted = a.shifted - F32(1.0f);
  a.n = a.n - F32(1.0f);
  const F32 slope = xsimd::fma(exp_tail(a.r), a.r, F32(1.0f));
  return scale_by_exponent(xsimd::fma(slope, a.r, F32(1.0f)), a);
}

inline F32 cosh(F32 x) {
  const F32 h = half_exp(magnitude_of(x));
  return h + F32(0.25f) / h;
}

/// Up to 1, sinh is computed by its Taylor series.
inline F32 sinh(F32 x) {
  const F32 a = magnitude_of(x), t = a * a, h = half_exp(a);
  F32 p = xsimd::fma(F32(1.0f / 39916800), t, F32(1.0f / 362880));
  p = xsimd::fma(p, t, F32(1.0f / 5040));
  p = xsimd::fma(p, t, F32(1.0f / 120));
  p = xsimd::fma(p, t, F32(1.0f / 6));
  return with_sign(xsimd::select(a < F32(1.0f), xsimd::fma(p, a * t, a), h - F32(0.25f) / h), x);
}

/// Returns log(1 + u), or log(2 a) where `huge` (beyond 2^13, where u is not used). a is halved to stay in the range of
/// the reduction.
inline F32 log1p_or_log_of_twice(F32 u, F32 a, decltype(F32() > F32()) huge) {
  const F32 w = u + F32(1.0f);
  return log_of_sum(xsimd::select(huge, a * F32(0.5f), w), xsimd::select(huge, F32(0.0f), u - (w - F32(1.0f))),
                    xsimd::select(huge, F32(2.0f), F32(0.0f)));
}

inline constexpr float kHugeArea = 0x1p13f;  // above it, asinh(x) and acosh(x) are log(2 x) to the last bit

inline F32 asinh(F32 x) {
  const F32 a = magnitude_of(x);
  const auto huge = a > F32(kHugeArea);
  const F32 safe = xsimd::select(huge, F32(1.0f), a), square = safe * safe;
  const F32 y = log1p_or_log_of_twice(safe + square / (F32(1.0f) + xsimd::sqrt(square + F32(1.0f))), a, huge);
  // Infinity and NaN are returned unchanged.
  return xsimd::select(a < F32(__builtin_inff()), with_sign(y, x), x);
}

inline F32 acosh(F32 x) {
  const auto huge = x > F32(kHugeArea);
  const F32 t = xsimd::select(huge, F32(1.0f), x) - F32(1.0f);
  F32 y = log1p_or_log_of_twice(t + xsimd::sqrt(t * (t + F32(2.0f))), x, huge);
  y = xsimd::select(x < F32(__builtin_inff()), y, x);
  return xsimd::select(x >= F32(1.0f), y, F32(__builtin_nanf("")));
}

/// Returns log((1 + x) / (1 - x)) / 2.
inline F32 atanh(F32 x) {
  const F32 a = magnitude_of(x);
  F32 y = F32(0.5f) * log1p((a + a) / (F32(1.0f) - a));
  y = xsimd::select(a == F32(1.0f), F32(__builtin_inff()), y);
  return with_sign(xsimd::select(a <= F32(1.0f), y, F32(__builtin_nanf(""))), x);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
