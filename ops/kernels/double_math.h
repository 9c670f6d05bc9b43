#pragma once

// Included by *.simd.cc only: float64 functions without branches, so that compilers make vectors of the loops around
// them. Reductions: W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980). The logarithm:
// the series of atanh, after which P. T. P. Tang's and FreeBSD's log arrange the terms so that the first is exact.
#include <cstdint>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// a b + c, with one rounding where the instruction set has that.
inline double mul_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

inline uint64_t bits_of_double(double x) { return __builtin_bit_cast(uint64_t, x); }
inline double double_of(uint64_t bits) { return __builtin_bit_cast(double, bits); }
inline double magnitude_of(double x) { return double_of(bits_of_double(x) & 0x7fffffffffffffff); }
/// The magnitude of `x` with the sign of `sign`; x >= 0.
inline double with_sign(double x, double sign) {
  return double_of(bits_of_double(x) | (bits_of_double(sign) & 0x8000000000000000));
}
/// By bits, which compilers do not make branches of.
inline double choose(bool condition, double a, double b) {
  const uint64_t mask = uint64_t(0) - uint64_t(condition);
  return double_of((bits_of_double(a) & mask) | (bits_of_double(b) & ~mask));
}
// NaN stays.
inline double at_most(double bound, double x) { return x > bound ? bound : x; }
inline double at_least(double bound, double x) { return x < bound ? bound : x; }

inline constexpr double kRoundDouble = 0x1.8p52;  // adding it rounds to an integer in the low bits

/// 2^n for integers -1023 < n < 1024.
inline double power_of_two(double n) { return double_of((bits_of_double(n + kRoundDouble) + 1023) << 52); }

/// |x| < 1000 as x = n ln 2 + r with |r| <= ln 2 / 2.
struct DoubleExpArgument {
  double n, r;
};
inline DoubleExpArgument reduce_double_exp(double x) {
  const double n = mul_add(x, 0x1.71547652b82fep+0, kRoundDouble) - kRoundDouble;
  // ln 2 in two parts: the first has 33 bits, so that its products with n are exact.
  return {n, mul_add(n, -0x1.a39ef35793c76p-33, mul_add(n, -0x1.62e42fee00000p-1, x))};
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2: the Taylor series, which leaves out less than 2^-57.
inline double double_exp_tail(double r) {
  double q = mul_add(r, 1.0 / 6227020800, 1.0 / 479001600);
  q = mul_add(q, r, 1.0 / 39916800);
  q = mul_add(q, r, 1.0 / 3628800);
  q = mul_add(q, r, 1.0 / 362880);
  q = mul_add(q, r, 1.0 / 40320);
  q = mul_add(q, r, 1.0 / 5040);
  q = mul_add(q, r, 1.0 / 720);
  q = mul_add(q, r, 1.0 / 120);
  q = mul_add(q, r, 1.0 / 24);
  q = mul_add(q, r, 1.0 / 6);
  return mul_add(q, r, 0.5);
}

inline double double_exp(double x) {
  const DoubleExpArgument a = reduce_double_exp(at_least(-746.0, at_most(710.0, x)));
  const double p = mul_add(double_exp_tail(a.r), a.r * a.r, a.r) + 1.0;
  const double half = mul_add(a.n, 0.5, kRoundDouble) - kRoundDouble;  // results may be denormal or infinite
  return p * power_of_two(half) * power_of_two(a.n - half);
}

/// e^x - 1 for 0 <= x <= 700.
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
  double p = mul_add(z, 2.0 / 23, 2.0 / 21);
  p = mul_add(p, z, 2.0 / 19);
  p = mul_add(p, z, 2.0 / 17);
  p = mul_add(p, z, 2.0 / 15);
  p = mul_add(p, z, 2.0 / 13);
  p = mul_add(p, z, 2.0 / 11);
  p = mul_add(p, z, 2.0 / 9);
  p = mul_add(p, z, 2.0 / 7);
  p = mul_add(p, z, 2.0 / 5);
  p = mul_add(p, z, 2.0 / 3) * z;
  const double half_square = 0.5 * f * f;
  const double small = mul_add(s, half_square + p, n * 0x1.a39ef35793c76p-33);
  double y = mul_add(n, 0x1.62e42fee00000p-1, f - (half_square - small));
  y = choose(x == 0.0, -__builtin_inf(), y);
  y = choose(x >= __builtin_inf(), x, y);
  return choose(x >= 0.0, y, __builtin_nan(""));  // NaN is not
}

inline double double_tanh(double x) {
  const double t = double_expm1(at_most(44.0, magnitude_of(x) * 2.0));
  return with_sign(t / (t + 2.0), x);
}

inline double double_sigmoid(double x) {
  const double e = double_exp(-magnitude_of(x));
  return (x < 0.0 ? e : 1.0) / (e + 1.0);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
