#pragma once

// Included by *.simd.cc only: quotients and remainders of integers, computed by floats, since no instruction set
// divides vectors of integers. The code has no branches, so that compilers vectorise the loops.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/independent.h"
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The float type for quotients of T. Where such a quotient is not whole, its distance from the next whole number is
/// greater than its rounding error. For 64-bit numbers that holds below kExactLimit.
template <class T>
using QuotientFloat = std::conditional_t<sizeof(T) < 4, float, double>;

/// Numbers in [-kExactLimit, kExactLimit) fit the lower bits of a double in [2^52, 2^53).
constexpr int64_t kExactLimit = int64_t{1} << 51;
constexpr double kShift = 0x1.8p52;
constexpr auto kShiftBits = __builtin_bit_cast(uint64_t, kShift);

template <class T>
constexpr bool kNeedsShift = sizeof(T) == 8 || std::is_same_v<T, uint32_t>;

template <class T>
inline QuotientFloat<T> float_of_integer(T x) {
  if constexpr (kNeedsShift<T>)
    return __builtin_bit_cast(double, uint64_t(x) + kShiftBits) - kShift;
  else
    return QuotientFloat<T>(x);
}

inline float whole_part(float x) { return __builtin_truncf(x); }
inline double whole_part(double x) { return __builtin_trunc(x); }

/// Returns the whole part of x.
template <class T>
inline T integer_of_float(QuotientFloat<T> x) {
  if constexpr (kNeedsShift<T>)
    return T(__builtin_bit_cast(uint64_t, whole_part(x) + kShift) - kShiftBits);
  else
    return T(int32_t(x));
}

/// Returns 1 where float_of_integer() is not exact.
template <class T>
inline uint64_t is_too_large(T x) {
  if constexpr (std::is_same_v<T, int64_t>) return (uint64_t(x) + uint64_t(kExactLimit)) >> 52;
  return sizeof(T) == 8 ? uint64_t(x) >> 51 : 0;
}

/// Returns a / b rounded towards zero, wrapping, or 0 where b is 0. Neither number may be too large.
template <class T>
inline T fast_quotient(T a, T b) {
  using Bits = std::make_unsigned_t<std::common_type_t<T, int>>;
  const T is_zero = b == 0;
  const T negates = std::is_signed_v<T> && b == T(-1);  // the least number has no negative counterpart
  const auto q = float_of_integer(a) / float_of_integer(T(b + is_zero + 2 * negates));
  return T(Bits(integer_of_float<T>(q)) * Bits(1 - is_zero - 2 * negates));
}

/// Returns a - trunc(a / b) b, or 0 where b is 0. Neither number may be too large.
template <class T>
inline T fast_remainder(T a, T b) {
  const T is_zero = b == 0;
  const auto x = float_of_integer(a), divisor = float_of_integer(T(b + is_zero));
  return T(integer_of_float<T>(x - whole_part(x / divisor) * divisor) * T(1 - is_zero));
}

/// The same without a limit on the numbers.
template <class T>
inline T slow_quotient(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == T(-1)) return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
  return T(a / b);
}
template <class T>
inline T slow_remainder(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1)) ? T(0) : T(a % b);
}

/// Sets y[i] = fast(a[i], b[i]) for i < n, block by block. Uses slow() for blocks in which a number is too large. y may
/// be a or b.
template <class T, class Fast, class Slow>
inline void divide_integers(const T* a, const T* b, T* y, int64_t n, Fast fast, Slow slow) {
  constexpr int64_t kBlock = 64;
  for (int64_t first = 0; first < n; first += kBlock, a += kBlock, b += kBlock, y += kBlock) {
    const int64_t count = n - first < kBlock ? n - first : kBlock;
    uint64_t too_large = 0;
    for (int64_t i = 0; sizeof(T) == 8 && i < count; ++i) too_large |= is_too_large(a[i]) | is_too_large(b[i]);
    if (too_large) {
      for (int64_t i = 0; i < count; ++i) y[i] = slow(a[i], b[i]);
    } else {
      LINNET_INDEPENDENT
      for (int64_t i = 0; i < count; ++i) y[i] = fast(a[i], b[i]);
    }
  }
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
