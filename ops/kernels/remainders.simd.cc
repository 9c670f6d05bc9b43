#include "kernels/remainders.h"

#include "kernels/integer_division.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// Builtins instead of <cmath>: a linker could choose copies of its functions that are compiled for this instruction
// set.
inline float magnitude(float x) { return __builtin_fabsf(x); }
inline double magnitude(double x) { return __builtin_fabs(x); }
inline float with_sign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }
[[maybe_unused]] inline float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
[[maybe_unused]] inline double multiply_add(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float exact_remainder(float a, float b) { return __builtin_fmodf(a, b); }
inline double exact_remainder(double a, double b) { return __builtin_fmod(a, b); }

/// The mapping of a truncated remainder to the result.
struct Truncated {
  template <class T>
  static T of(T rest, T) {
    return rest;
  }
};
struct Floored {
  template <class T>
  static T of(T rest, T b) {
    const bool differs = (rest < 0) != (b < 0);
    if constexpr (std::is_integral_v<T>)
      return T(rest + ((rest != 0) & differs ? b : T(0)));
    else
      return rest == 0 ? with_sign(rest, b) : differs ? rest + b : rest;
  }
};

#if defined(__FMA__) || defined(__aarch64__)
/// Returns the truncated remainder without rounding: for a whole q, a - q b is a multiple of the last digits of a and b
/// and not larger than b. If the quotient is large, or a or b is not finite, the result is wrong and `fits` becomes 0.
template <class T>
inline T float_remainder(T a, T b, int& fits) {
  constexpr T kMostQuotient = T(1) / std::numeric_limits<T>::epsilon();
  const T q = whole_part(a / b);
  T rest = multiply_add(-q, b, a);
  // A quotient that was rounded up to a whole number is too large by one.
  const bool beyond = (rest < 0) != (a < 0);
  rest = beyond & (rest != 0) ? rest + with_sign(b, a) : rest;
  fits &= (magnitude(q) < kMostQuotient) & (magnitude(rest) < magnitude(b));
  return with_sign(rest, a);
}
#else
template <class T>
inline T float_remainder(T, T, int& fits) {
  fits = 0;
  return 0;
}
#endif

template <class Result, class T>
inline T one_remainder(T a, T b) {
  int fits = 1;
  const T rest = float_remainder(a, b, fits);
  return Result::of(fits ? rest : exact_remainder(a, b), b);
}

template <class Result, class T>
void float_remainders(const T* a, const T* b, T* y, int64_t n) {
  constexpr int64_t kBlock = 64;
  T rests[kBlock];
  for (; n >= kBlock; n -= kBlock, a += kBlock, b += kBlock, y += kBlock) {
    int fits = 1;
    for (int64_t i = 0; i < kBlock; ++i) rests[i] = Result::of(float_remainder(a[i], b[i], fits), b[i]);
    for (int64_t i = 0; !fits && i < kBlock; ++i) rests[i] = one_remainder<Result>(a[i], b[i]);
    __builtin_memcpy(y, rests, sizeof rests);
  }
  for (int64_t i = 0; i < n; ++i) y[i] = one_remainder<Result>(a[i], b[i]);
}

template <class Result, class T>
void remainders(const void* const* x, void* y_data, int64_t n) {
  const T *a = static_cast<const T*>(x[0]), *b = static_cast<const T*>(x[1]);
  T* y = static_cast<T*>(y_data);
  if constexpr (std::is_floating_point_v<T>) {
    float_remainders<Result>(a, b, y, n);
  } else {
    divide_integers(
        a, b, y, n, [](T u, T v) { return Result::of(fast_remainder(u, v), v); },
        [](T u, T v) { return Result::of(slow_remainder(u, v), v); });
  }
}

template <class T>
constexpr RemainderFunctions kRemainders{remainders<Truncated, T>, remainders<Floored, T>};

}  // namespace

void fill(RemainderKernels& k);

void fill(RemainderKernels& k) {
  k.f32 = kRemainders<float>;
  k.f64 = kRemainders<double>;
  k.s8 = kRemainders<int8_t>;
  k.s16 = kRemainders<int16_t>;
  k.s32 = kRemainders<int32_t>;
  k.s64 = kRemainders<int64_t>;
  k.u8 = kRemainders<uint8_t>;
  k.u16 = kRemainders<uint16_t>;
  k.u32 = kRemainders<uint32_t>;
  k.u64 = kRemainders<uint64_t>;
}

}  // namespace linnet::LINNET_SIMD_NS
