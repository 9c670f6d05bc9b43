#pragma once

// Included by *.simd.cc only: powers, computed as 2^(b log2 |a|) in double, in loops that compilers vectorise. log2
// uses the series of atanh, and 2^f that of e^x. Both have relative truncation errors of less than 2^-36.
#include <cstddef>
#include <cstdint>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns log2 of a normal positive float.
inline double log2_of(uint32_t bits) {
  // bits = m 2^e with m in [2/3, 4/3).
  const int32_t e = int32_t(bits - 0x3f2aaaabu) >> 23;
  const double m = double(__builtin_bit_cast(float, bits - (uint32_t(e) << 23)));
  const double s = (m - 1) / (m + 1), t = s * s;
  double p = t * (1.0 / 15) + 1.0 / 13;
  p = p * t + 1.0 / 11;
  p = p * t + 1.0 / 9;
  p = p * t + 1.0 / 7;
  p = p * t + 1.0 / 5;
  p = p * t + 1.0 / 3;
  return double(e) + (s + s * t * p) * 0x1.71547652b82fep+1;
}

/// Returns 2^v for |v| <= 1000.
inline double exp2_of(double v) {
  constexpr double kMagic = 0x1.8p52;
  const double shifted = v + kMagic;
  const double f = (v - (shifted - kMagic)) * 0x1.62e42fefa39efp-1;
  double p = f * (1.0 / 362880) + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1;
  p = p * f + 1;
  const int64_t exponent = (__builtin_bit_cast(int64_t, shifted) + 1023) << 52;
  return p * __builtin_bit_cast(double, exponent);
}

// The following functions have no branches, so that compilers vectorise the loops.

inline uint32_t bits_of_power(float x) { return __builtin_bit_cast(uint32_t, x); }

/// Returns all bits for zero, subnormal, infinite and NaN bases, and for exponents of magnitude 2^24 and more.
inline uint32_t special_power(float a, float b) {
  const uint32_t base = (bits_of_power(a) & 0x7fffffffu) - 0x800000u, exponent = bits_of_power(b) & 0x7fffffffu;
  return (base >= 0x7f000000u ? ~0u : 0u) | (exponent >= 0x4b800000u ? ~0u : 0u);
}

/// Returns the power of |a| with the sign of the power of a.
inline float signed_power(float magnitude, float a, float b) {
  const auto whole = int32_t(b);
  const uint32_t sign = bits_of_power(a) & (uint32_t(whole) << 31);
  // A power of a negative number is NaN unless the exponent is an integer.
  const uint32_t fraction = float(whole) != b ? 0x7fc00000u : 0u;
  const uint32_t negative = bits_of_power(a) >> 31 ? ~0u : 0u;
  return __builtin_bit_cast(float, bits_of_power(magnitude) | sign | (fraction & negative));
}

/// Sets y = a^b for n <= kPowerBlock elements.
inline constexpr int kPowerBlock = 64;
inline void power_block(const float* a, const float* b, float* y, int n) {
  float base[kPowerBlock] = {}, exponent[kPowerBlock] = {}, result[kPowerBlock];
  uint32_t special[kPowerBlock], any = 0;
  __builtin_memcpy(base, a, size_t(n) * sizeof(float));
  __builtin_memcpy(exponent, b, size_t(n) * sizeof(float));
  for (int i = n; i < kPowerBlock; ++i) base[i] = 1.0f;
  for (int i = 0; i < kPowerBlock; ++i) any |= special[i] = special_power(base[i], exponent[i]);
  double v[kPowerBlock];
  float regular[kPowerBlock];
  for (int i = 0; i < kPowerBlock; ++i) {
    regular[i] = __builtin_bit_cast(float, bits_of_power(exponent[i]) & ~special[i]);
    v[i] = double(regular[i]) *
           log2_of(((bits_of_power(base[i]) & ~special[i]) | (special[i] & 0x3f800000u)) & 0x7fffffffu);
  }
  for (double& value : v) value = value > -200 ? value : -200;
  for (double& value : v) value = value < 200 ? value : 200;
  for (int i = 0; i < kPowerBlock; ++i) result[i] = float(exp2_of(v[i]));
  for (int i = 0; i < kPowerBlock; ++i) result[i] = signed_power(result[i], base[i], regular[i]);
  for (int i = 0; i < n && any; ++i) {
    if (special[i]) result[i] = __builtin_powf(base[i], exponent[i]);
  }
  __builtin_memcpy(y, result, size_t(n) * sizeof(float));
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
