#pragma once

// Included by *.simd.cc only: float32 functions on whole vectors, for kernels that combine them. The polynomials are
// minimax fits made for Linnet (iteratively reweighted least squares in 40 digits, with the coefficients rounded to
// float32 one at a time). The table of functions has the error bounds.
// Source of the range reductions: W. J. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980.
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

using I32 = xsimd::batch<int32_t, Arch>;

inline I32 bits_of(F32 x) { return __builtin_bit_cast(I32, x); }
inline F32 float_of(I32 bits) { return __builtin_bit_cast(F32, bits); }
inline F32 load(const float* x) { return F32::load_unaligned(x); }
inline void store(float* y, F32 v) { v.store_unaligned(y); }

#if defined(__AVX512F__)
// xsimd has no interface for masked loads and stores.
inline __mmask16 first_lanes(int64_t n) { return __mmask16((1u << n) - 1); }
/// Loads the first n < kLanes elements; the other lanes become `fill`.
inline F32 load_part(const float* x, int64_t n, float fill = 0.0f) {
  return _mm512_mask_loadu_ps(F32(fill), first_lanes(n), x);
}
inline void store_part(float* y, F32 v, int64_t n) { _mm512_mask_storeu_ps(y, first_lanes(n), v); }
#elif defined(__AVX2__)
inline __m256i first_lanes(int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(int(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline F32 load_part(const float* x, int64_t n, float fill = 0.0f) {
  const __m256i mask = first_lanes(n);
  return _mm256_blendv_ps(F32(fill), _mm256_maskload_ps(x, mask), _mm256_castsi256_ps(mask));
}
inline void store_part(float* y, F32 v, int64_t n) { _mm256_maskstore_ps(y, first_lanes(n), v); }
#else
inline F32 load_part(const float* x, int64_t n, float fill = 0.0f) {
  float buffer[kLanes];
  for (int i = 0; i < kLanes; ++i) buffer[i] = i < n ? x[i] : fill;
  return load(buffer);
}
inline void store_part(float* y, F32 v, int64_t n) {
  float buffer[kLanes];
  store(buffer, v);
  for (int64_t i = 0; i < n; ++i) y[i] = buffer[i];
}
#endif

/// Joins all lanes by join(a, b), of floats or of vectors of them, in a fixed order: halves are joined until one value
/// is left.
template <class Join>
inline float join_lanes(F32 v, Join join) {
  typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
  return join_elements<kLanes>((Floats)(typename F32::register_type)v, join);
}

/// Returns the sum of all lanes. Halves are added until one value is left, lane i to lane i + kLanes / 2 first.
inline float sum_lanes(F32 v) {
#if defined(__AVX512F__)
  const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
#elif defined(__AVX__)
  const __m256 half = v;
#endif
#if defined(__AVX__)
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
  return join_lanes(v, [](auto a, auto b) { return a + b; });
#endif
}

/// Returns the sum of all lanes of another type, in a fixed order. (xsimd has renamed its function.)
template <class Vector>
inline float sum_lanes(Vector v) {
  if constexpr (requires { reduce_add(v); }) {
    return reduce_add(v);
  } else {
    return hadd(v);
  }
}

/// Return the largest and the smallest lane, or NaN where any lane is NaN.
inline float max_lanes(F32 v) {
  return join_lanes(v, [](auto a, auto b) { return ((a > b) | (a != a)) ? a : b; });
}
inline float min_lanes(F32 v) {
  return join_lanes(v, [](auto a, auto b) { return ((a < b) | (a != a)) ? a : b; });
}

// xsimd's max and min, like the x86 instructions, return the second operand where either is NaN.
/// Return max(x, bound) and min(x, bound), or NaN where x is NaN.
inline F32 at_least(F32 bound, F32 x) { return xsimd::max(bound, x); }
inline F32 at_most(F32 bound, F32 x) { return xsimd::min(bound, x); }
/// NaN where either is NaN. On AVX, xsimd 8.1 compiles a != a to an ordered comparison, which is false for NaN.
inline F32 max_nan(F32 a, F32 b) { return xsimd::select(xsimd::isnan(a), a, xsimd::max(a, b)); }
inline F32 min_nan(F32 a, F32 b) { return xsimd::select(xsimd::isnan(a), a, xsimd::min(a, b)); }

inline F32 magnitude_of(F32 x) { return float_of(bits_of(x) & I32(0x7fffffff)); }
inline F32 negative_magnitude_of(F32 x) { return float_of(bits_of(x) | I32(int32_t(0x80000000u))); }
inline F32 prelu(F32 x, F32 slope) { return xsimd::select(x < F32(0.0f), x * slope, x); }
/// Returns the magnitude of `x` with the sign of `sign`; x >= 0.
inline F32 with_sign(F32 x, F32 sign) { return float_of(bits_of(x) | (bits_of(sign) & I32(int32_t(0x80000000u)))); }

/// x in [-104, 129], represented as x = n ln 2 + r with |r| <= ln 2 / 2. The bits of `shifted` end in n + bias.
struct ExpArgument {
  F32 shifted, n, r;
};

inline constexpr float kRoundMagic = 0x1.8p23f;  // adding it rounds to an integer in the low bits

template <int bias = 0>
inline ExpArgument reduce_exp(F32 x) {
  const F32 magic(kRoundMagic + float(bias));
  const F32 shifted = xsimd::fma(x, F32(0x1.715476p+0f), magic);
  const F32 n = shifted - magic;
  // ln 2 in two parts. The first has 15 bits, so its products with n are exact.
  const F32 r = xsimd::fma(n, F32(-0x1.62e4p-1f), x);
  return {shifted, n, xsimd::fma(n, F32(-0x1.7f7d1cp-20f), r)};
}

/// Returns (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
inline F32 exp_tail(F32 r) {
  F32 q = xsimd::fma(F32(0x1.6d6a7cp-10f), r, F32(0x1.123ac6p-7f));
  q = xsimd::fma(q, r, F32(0x1.5554cep-5f));
  q = xsimd::fma(q, r, F32(0x1.555490p-3f));
  return xsimd::fma(q, r, F32(0x1.000000p-1f));
}

/// Returns e^r for |r| <= ln 2 / 2.
inline F32 exp_of_reduced(F32 r) {
  const F32 slope = xsimd::fma(exp_tail(r), r, F32(1.0f));
  return xsimd::fma(slope, r, F32(1.0f));
}

/// Returns p 2^n for the n of a reduction, including overflow and subnormal results.
inline F32 scale_by_exponent(F32 p, const ExpArgument& a) {
#ifdef __AVX512F__
  return _mm512_scalef_ps(p, a.n);
#else
  const I32 n = bits_of(a.shifted) - I32(0x4b400000);
  const I32 half = n >> 1;
  const F32 first = float_of((half + I32(127)) << 23);
  return p * first * float_of((n - half + I32(127)) << 23);
#endif
}

/// Returns e^x for x <= 89, where it is infinite.
inline F32 exp_below_89(F32 x) {
  const ExpArgument a = reduce_exp(at_least(F32(-104.0f), x));
  return scale_by_exponent(exp_of_reduced(a.r), a);
}

inline F32 exp(F32 x) { return exp_below_89(at_most(F32(89.0f), x)); }

/// Returns e^x - 1 for -26 <= x <= 30; +0 for -0.
inline F32 expm1_in_range(F32 x) {
  const ExpArgument a = reduce_exp(x);
  const F32 p = xsimd::fma(exp_tail(a.r), a.r * a.r, a.r);
  const F32 power = float_of((bits_of(a.shifted) << 23) + I32(0x3f800000));
  return xsimd::fma(p, power, power - F32(1.0f));
}

/// Returns e^x - 1 for x <= 30.
inline F32 expm1(F32 x) { return xsimd::select(x == F32(0.0f), x, expm1_in_range(at_least(F32(-26.0f), x))); }

/// w = m 2^e with m in [2/3, 4/3), represented as m and the bits of e in place. w is positive, finite and normal.
struct LogArgument {
  F32 m;
  I32 e;
};

inline LogArgument reduce_log(F32 w) {
  const I32 e = (bits_of(w) - I32(0x3f2aaaab)) & I32(int32_t(0xff800000u));
  return {float_of(bits_of(w) - e), e};
}

/// Returns log(1 + f) + (e + offset) ln 2 for f in [-1/3, 1/3).
inline F32 log_of_reduced(F32 f, I32 e, F32 offset) {
  F32 p = xsimd::fma(F32(-0x1.07aa38p-3f), f, F32(0x1.1e72a0p-3f));
  p = xsimd::fma(p, f, F32(-0x1.f33c72p-4f));
  p = xsimd::fma(p, f, F32(0x1.1ed452p-3f));
  p = xsimd::fma(p, f, F32(-0x1.559c2ep-3f));
  p = xsimd::fma(p, f, F32(0x1.99d05cp-3f));
  p = xsimd::fma(p, f, F32(-0x1.fffefap-3f));
  p = xsimd::fma(p, f, F32(0x1.555506p-2f));
  const F32 n = xsimd::to_float(e >> 23) + offset;
  const F32 square = f * f;
  const F32 tail = xsimd::fma(p * f, square, n * F32(-0x1.05c610p-29f));
  return xsimd::fma(n, F32(0x1.62e430p-1f), xsimd::fma(square, F32(-0.5f), tail) + f);
}

inline F32 log(F32 x) {
  const auto denormal = x < F32(0x1p-126f);
  const LogArgument a = reduce_log(xsimd::select(denormal, x * F32(0x1p23f), x));
  F32 y = log_of_reduced(a.m - F32(1.0f), a.e, xsimd::select(denormal, F32(-23.0f), F32(0.0f)));
  y = xsimd::select(x == F32(__builtin_inff()), x, y);
  y = xsimd::select(x == F32(0.0f), F32(-__builtin_inff()), y);
  // x >= 0 is also false for NaN.
  return xsimd::select(x >= F32(0.0f), y, F32(__builtin_nanf("")));
}

/// Returns log(w + c) + offset ln 2 for w in [1, 2^127) and |c| of at most half an ulp of w.
inline F32 log_of_sum(F32 w, F32 c, F32 offset) {
  const LogArgument a = reduce_log(w);
  return log_of_reduced(xsimd::fma(c, float_of(I32(0x3f800000) - a.e), a.m - F32(1.0f)), a.e, offset);
}

/// Returns log(1 + x) for 0 <= x < 2^24; not for NaN.
inline F32 log1p(F32 x) {
  const F32 w = x + F32(1.0f);
  return log_of_sum(w, x - (w - F32(1.0f)), F32(0.0f));
}

inline F32 sigmoid(F32 x) {
  const F32 e = exp_below_89(negative_magnitude_of(x));
  return xsimd::select(x < F32(0.0f), e, F32(1.0f)) / (e + F32(1.0f));
}

inline F32 tanh(F32 x) {
  const F32 t = expm1_in_range(at_most(F32(20.0f), magnitude_of(x) * F32(2.0f)));
  return with_sign(t / (t + F32(2.0f)), x);
}

/// Returns log(1 + e^x).
inline F32 softplus(F32 x) { return at_least(F32(0.0f), x) + log1p(exp_below_89(negative_magnitude_of(x))); }

/// erf(x): x + x P(x^2) up to 1, and 1 - exp(-|x| Q(|x|)) above.
inline F32 erf(F32 x) {
  const F32 a = at_most(F32(3.95f), magnitude_of(x));
  const F32 t = x * x;
  F32 p = xsimd::fma(F32(-0x1.271656p-11f), t, F32(0x1.423978p-8f));
  p = xsimd::fma(p, t, F32(-0x1.b5a048p-6f));
  p = xsimd::fma(p, t, F32(0x1.ce08f6p-4f));
  p = xsimd::fma(p, t, F32(-0x1.812672p-2f));
  p = xsimd::fma(p, t, F32(0x1.06eba2p-3f));
  F32 q = xsimd::fma(F32(-0x1.b9d58ep-13f), a, F32(0x1.a1c652p-9f));
  q = xsimd::fma(q, a, F32(-0x1.758edcp-6f));
  q = xsimd::fma(q, a, F32(0x1.ae91c0p-4f));
  q = xsimd::fma(q, a, F32(0x1.458b4cp-1f));
  q = xsimd::fma(q, a, F32(0x1.20e424p+0f));
  const F32 large = with_sign(F32(1.0f) - exp_below_89(-(q * a)), x);
  return xsimd::select(a < F32(1.0f), xsimd::fma(p, x, x), large);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
