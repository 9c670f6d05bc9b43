#pragma once

// Included by *.simd.cc only: inverse trigonometric functions on whole vectors. The reductions are those of S.
// Moshier's Cephes. The polynomials are minimax fits made for Linnet (Lawson's reweighted least squares).
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// pi / 2 as the sum of two parts.
inline constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiRest = -0x1.777a5cp-25f;

/// atan(x): z + z^3 P(z^2) with z = |x| up to 1, and pi/2 minus that of z = 1 / |x| above.
inline F32 atan(F32 x) {
  const F32 a = magnitude_of(x);
  const auto beyond = a > F32(1.0f);
  const F32 z = xsimd::select(beyond, F32(1.0f) / a, a);
  const F32 t = z * z;
  F32 p = xsimd::fma(F32(0x1.7ed20cp-9f), t, F32(-0x1.0c2c02p-6f));
  p = xsimd::fma(p, t, F32(0x1.61fdcap-5f));
  p = xsimd::fma(p, t, F32(-0x1.3556b0p-4f));
  p = xsimd::fma(p, t, F32(0x1.b4e128p-4f));
  p = xsimd::fma(p, t, F32(-0x1.230adcp-3f));
  p = xsimd::fma(p, t, F32(0x1.9978f4p-3f));
  p = xsimd::fma(p, t, F32(-0x1.5554dcp-2f));
  const F32 arc = xsimd::fma(p * t, z, z);
  return with_sign(xsimd::select(beyond, F32(kHalfPi) + (F32(kHalfPiRest) - arc), arc), x);
}

/// Returns (asin(z) - z) / z for t = z^2 up to 1/4.
inline F32 asin_tail(F32 t) {
  F32 p = xsimd::fma(F32(0x1.596d28p-5f), t, F32(0x1.8c283ep-6f));
  p = xsimd::fma(p, t, F32(0x1.747e4ap-5f));
  p = xsimd::fma(p, t, F32(0x1.3301e4p-4f));
  return xsimd::fma(p, t, F32(0x1.5555c8p-3f)) * t;
}

/// asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)) for a = |x|, which reduces arguments above 1/2 to at most 1/2.
struct ArcArgument {
  F32 z, t;  ///< z and its square
  decltype(F32() > F32()) beyond;
};

inline ArcArgument reduce_arc(F32 x) {
  const F32 a = magnitude_of(x);
  const auto beyond = a > F32(0.5f);
  const F32 half = xsimd::fma(a, F32(-0.5f), F32(0.5f));
  return {xsimd::select(beyond, xsimd::sqrt(half), a), xsimd::select(beyond, half, a * a), beyond};
}

inline F32 asin(F32 x) {
  const ArcArgument r = reduce_arc(x);
  const F32 arc = xsimd::fma(asin_tail(r.t), r.z, r.z);
  const F32 rest = xsimd::fma(arc, F32(-2.0f), F32(kHalfPiRest)) + F32(kHalfPi);
  // Beyond 1, z is NaN.
  return with_sign(xsimd::select(r.beyond, rest, arc), x);
}

inline F32 acos(F32 x) {
  const ArcArgument r = reduce_arc(x);
  const F32 tail = asin_tail(r.t);
  const F32 arc = xsimd::fma(tail, r.z, r.z) * F32(2.0f);
  const F32 far = xsimd::select(x < F32(0.0f), F32(2 * kHalfPi) + (F32(2 * kHalfPiRest) - arc), arc);
  const F32 near = F32(kHalfPi) - (x - xsimd::fma(tail, F32(0.0f) - x, F32(kHalfPiRest)));
  return xsimd::select(r.beyond, far, near);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
