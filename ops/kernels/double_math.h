#pragma once

// Included by *.simd.cc only: float64 functions without branches, so that compilers vectorise the loops around them.
// The logarithm uses the series of atanh, with the terms arranged as in P. T. P. Tang's and FreeBSD's log so that the
// first one is exact.
// Source of the reductions: W. J. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980.
#include <cstdint>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns a b + c, with one rounding where the instruction set supports it.
inline double mul_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Returns the polynomial in x with these coefficients, the highest power first.
inline double polynomial(double, double constant) { return constant; }
template <class... Rest>
inline double polynomial(double x, double first, double second, Rest... rest) {
  return polynomial(x, mul_add(first, x, second), rest...);
}

inline uint64_t bits_of_double(double x) { return __builtin_bit_cast(uint64_t, x); }
inline double double_of(uint64_t bits) { return __builtin_bit_cast(double, bits); }
inline double magnitude_of(double x) { return double_of(bits_of_double(x) & 0x7fffffffffffffff); }
/// Returns the magnitude of `x` with the sign of `sign`; x >= 0.
inline double with_sign(double x, double sign) {
  return double_of(bits_of_double(x) | (bits_of_double(sign) & 0x8000000000000000));
}
/// Chooses by bits, which compilers do not turn into branches.
inline double choose(bool condition, double a, double b) {
  const uint64_t mask = uint64_t(0) - uint64_t(condition);
  return double_of((bits_of_double(a) & mask) | (bits_of_double(b) & ~mask));
}
// NaN is preserved.
inline double at_most(double bound, double x) { return x > bound ? bound : x; }
inline double at_least(double bound, double x) { return x < bound ? bound : x; }

inline constexpr double kRoundDouble = 0x1.8p52;  // adding it rounds to an integer in the low bits

/// Returns 2^n for integers -1023 < n < 1024.
inline double power_of_two(double n) { return double_of((bits_of_double(n + kRoundDouble) + 1023) << 52); }

/// |x| < 1000 represented as x = n ln 2 + r with |r| <= ln 2 / 2.
struct DoubleExpArgument {
  double n, r;
};
inline DoubleExpArgument reduce_double_exp(double x) {
  const double n = mul_add(x, 0x1.71547652b82fep+0, kRoundDouble) - kRoundDouble;
  // ln 2 in two parts. The first has 33 bits, so its products with n are exact.
  return {n, mul_add(n, -0x1.a39ef35793c76p-33, mul_add(n, -0x1.62e42fee00000p-1, x))};
}

/// Returns (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, by its Taylor series. The truncation error is less than 2^-57.
inline double double_exp_tail(double r) {
  return polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                    1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
}

/// Returns e^x / 2^log2_divisor for x <= 712, where e^x alone may be infinite or subnormal.
inline double double_exp_over(double x, double log2_divisor) {
  const DoubleExpArgument a = reduce_double_exp(x);
  const double n = a.n - log2_divisor;
  const double p = mul_add(double_exp_tail(a.r), a.r * a.r, a.r) + 1.0;
  const double half = mul_add(n, 0.5, kRoundDouble) - kRoundDouble;
  return p * power_of_two(half) * power_of_two(n - half);
}

inline double double_exp(double x) { return double_exp_over(at_least(-746.0, at_most(710.0, x)), 0.0); }

/// Returns e^x - 1 for 0 <= x <= 700.
inline double double_expm1(double x) {
  const DoubleExpArgument a = reduce_double_exp(x);
  const double p = mul_add(double_exp_tail(a.r), a.r * a.r, a.r), power = power_of_two(a.n);
  return mul_add(p, power, power - 1.0);
}

inline double double_log(double x) {
  const bool denormal = x < 0x1p-1022;
  const double normal = x * choose(denormal, 0x1p54, 1.0);
  // normal = m 2^e with m in [sqrt(1/2), sqrt(2)); the exponent is read with its bias.
  const uint64_t bits = bits_of_double(normal) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const double e = double_of((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const double n = e - choose(denormal, 54.0, 0.0);
  const double m = double_of((bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), and 2 s = f - s f.
  const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
  const double p = z * polynomial(z, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                                  2.0 / 7, 2.0 / 5, 2.0 / 3);
  const double half_square = 0.5 * f * f;
  const double small = mul_add(s, half_square + p, n * 0x1.a39ef35793c76p-33);
  double y = mul_add(n, 0x1.62e42fee00000p-1, f - (half_square - small));
  y = choose(x == 0.0, -__builtin_inf(), y);
  y = choose(x >= __builtin_inf(), x, y);
  return choose(x >= 0.0, y, __builtin_nan(""));  // NaN >= 0 is false
}

/// Returns log(1 + x) for x >= 0.
inline double double_log1p(double x) {
  const double w = 1.0 + x;
  return double_log(w) + (x - (w - 1.0)) / w;
}

/// Returns log(1 + e^x).
inline double double_softplus(double x) { return at_least(0.0, x) + double_log1p(double_exp(-magnitude_of(x))); }

inline double double_tanh(double x) {
  const double t = double_expm1(at_most(44.0, magnitude_of(x) * 2.0));
  return with_sign(t / (t + 2.0), x);
}

inline double double_sigmoid(double x) {
  const double e = double_exp(-magnitude_of(x));
  return (x < 0.0 ? e : 1.0) / (e + 1.0);
}

inline double double_sinh(double x) {
  const double a = magnitude_of(x);
  const double h = double_exp_over(at_most(712.0, a), 1.0), t = a * a;
  // Up to 1, the Taylor series is used. Its truncation error is less than 2^-65.
  const double p = polynomial(t, 1.0 / 121645100408832000, 1.0 / 355687428096000, 1.0 / 1307674368000, 1.0 / 6227020800,
                              1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6);
  return with_sign(choose(a < 1.0, mul_add(a * t, p, a), h - 0.25 / h), x);
}

inline double double_cosh(double x) {
  const double h = double_exp_over(at_most(712.0, magnitude_of(x)), 1.0);
  return h + 0.25 / h;
}

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

inline double double_asinh(double x) {
  const double a = magnitude_of(x);
  const bool large = a >= 0x1p28;  // asinh(a) = log(2 a) to the last bit
  const double s = choose(large, 1.0, a), square = s * s;
  const double u = s + square / (1.0 + __builtin_sqrt(square + 1.0)), w = u + 1.0;
  const double y = double_log(choose(large, a, w)) + choose(large, kLn2, (u - (w - 1.0)) / w);
  return with_sign(y, x);
}

inline double double_acosh(double x) {
  const bool large = x >= 0x1p28;
  const double t = choose(large, 1.0, x) - 1.0;
  const double u = t + __builtin_sqrt(t * (t + 2.0)), w = u + 1.0;
  const double y = double_log(choose(large, x, w)) + choose(large, kLn2, (u - (w - 1.0)) / w);
  return choose(x >= 1.0, y, __builtin_nan(""));
}

inline double double_atanh(double x) {
  const double a = magnitude_of(x);
  const double y = 0.5 * double_log1p(2.0 * a / (1.0 - a));
  return with_sign(choose(a == 1.0, __builtin_inf(), choose(a < 1.0, y, __builtin_nan(""))), x);
}

/// erf(x): x + x Q(x^2) up to 1, and 1 - e^(-x^2) R((|x| - 2) / (|x| + 2)) above. The polynomials are Chebyshev fits
/// made for Linnet.
/// Source: M. M. Shepherd and J. G. Laframboise, Mathematics of Computation 36, 1981.
inline double double_erf(double x) {
  const double a = at_most(6.0, magnitude_of(x)), t = a * a;
  const double q = polynomial(t, 0x1.05ffd737fb32ep-34, -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27,
                              -0x1.5f1ecb6f0764cp-23, 0x1.b9df224ca4b97p-20, -0x1.f4d1e3183f7aep-17,
                              0x1.f9a321d5b8e1ep-14, -0x1.c02db3dac435fp-11, 0x1.565bcd0dbaa38p-8,
                              -0x1.b82ce31284e00p-6, 0x1.ce2f21a042b30p-4, -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3);
  const double r =
      polynomial((a - 2.0) / (a + 2.0), -0x1.30be46f379823p-20, 0x1.559a2f0faada6p-20, 0x1.0d39558a33004p-18,
                 0x1.5e89dbd23021dp-20, -0x1.d5b4578dde1bbp-17, -0x1.ce6ac975b91e0p-16, 0x1.cdd4519ae1742p-16,
                 0x1.6da887a2804f7p-13, 0x1.6d5ee91b54222p-15, -0x1.016b5b63ce721p-10, -0x1.bc25a48873fcfp-11,
                 0x1.ca95ed50b7c81p-8, 0x1.e9471597be87ap-9, -0x1.437f0b68c0489p-4, 0x1.eeea7dc8a78a1p-3,
                 -0x1.b57034efd3f74p-2, 0x1.058671b52c776p-2);
  return choose(a < 1.0, mul_add(q, x, x), with_sign(1.0 - double_exp(-t) * r, x));
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
