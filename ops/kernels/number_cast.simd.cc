#include "kernels/number_cast.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.

template <class X, class Y>
inline Y converted(X x) {
  if constexpr (std::is_floating_point_v<X> && std::is_integral_v<Y>) {
    constexpr X kLeast = X(std::numeric_limits<Y>::lowest());
    const X below = x < -kLeast ? x : kLeast;  // also for NaN
    return Y(below > kLeast ? below : kLeast);
  } else {
    return Y(x);
  }
}

template <class X, class Y>
void convert(const void* from, void* to, int64_t n) {
  const X* __restrict x = static_cast<const X*>(from);
  Y* __restrict y = static_cast<Y*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = converted<X, Y>(x[i]);
}

#if defined(__AVX512DQ__) || defined(__aarch64__)
template <class X, class Y>
constexpr auto* kConvert64 = convert<X, Y>;
#else
inline bool fits_s32(int64_t x) { return int64_t(int32_t(x)) == x; }
template <class X>
inline bool fits_s32(X x) {
  return (x < X(0x1p31)) & (x > X(-0x1p31));
}

/// Converts between 64-bit integers and floats, for which there are no vector instructions. Uses int32 where a block
/// fits it.
template <class X, class Y>
void convert64(const void* from, void* to, int64_t n) {
  constexpr int64_t kBlock = 64;
  const X* __restrict x = static_cast<const X*>(from);
  Y* __restrict y = static_cast<Y*>(to);
  for (; n > 0; x += kBlock, y += kBlock, n -= kBlock) {
    if (n < kBlock) return convert<X, Y>(x, y, n);
    int outside = 0;
    for (int64_t i = 0; i < kBlock; ++i) outside |= fits_s32(x[i]) ? 0 : 1;
    if (outside) {
      convert<X, Y>(x, y, kBlock);
    } else {
      for (int64_t i = 0; i < kBlock; ++i) y[i] = Y(int32_t(x[i]));
    }
  }
}
template <class X, class Y>
constexpr auto* kConvert64 = convert64<X, Y>;
#endif

/// Rounds to the neighbour with an odd last bit where a number is not exact. NaN stays NaN.
void to_odd(const void* from, void* to, int64_t n) {
  const double* __restrict x = static_cast<const double*>(from);
  float* __restrict y = static_cast<float*>(to);
  for (int64_t i = 0; i < n; ++i) {
    const auto nearest = float(x[i]);
    const auto back = double(nearest);
    const auto bits = __builtin_bit_cast(uint32_t, nearest);
    const uint32_t inner = __builtin_fabs(back) > __builtin_fabs(x[i]) ? ~uint32_t{0} : 1;
    const uint32_t differs = (back > x[i]) | (back < x[i]) ? 1 : 0;
    y[i] = __builtin_bit_cast(float, bits + (inner & (uint32_t{0} - (differs & ~bits & 1))));
  }
}

template <class X>
void differs_from_zero(const void* from, void* to, int64_t n) {
  const X* __restrict x = static_cast<const X*>(from);
  auto* __restrict y = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] != X(0) ? 1 : 0;
}

}  // namespace

void fill(NumberCastKernels& k);

void fill(NumberCastKernels& k) {
  k.s32_of_u8 = convert<uint8_t, int32_t>;
  k.s32_of_s8 = convert<int8_t, int32_t>;
  k.s32_of_u16 = convert<uint16_t, int32_t>;
  k.s32_of_s16 = convert<int16_t, int32_t>;
  k.s64_of_u32 = convert<uint32_t, int64_t>;
  k.s64_of_s32 = convert<int32_t, int64_t>;
  k.s64_of_u8 = convert<uint8_t, int64_t>;
  k.s64_of_s8 = convert<int8_t, int64_t>;
  k.f32_of_u8 = convert<uint8_t, float>;
  k.f32_of_s8 = convert<int8_t, float>;
  k.f64_of_u8 = convert<uint8_t, double>;
  k.f64_of_s8 = convert<int8_t, double>;
  k.bits8_of_s32 = convert<uint32_t, uint8_t>;
  k.bits16_of_s32 = convert<uint32_t, uint16_t>;
  k.bits32_of_s64 = convert<uint64_t, uint32_t>;
  k.f32_of_s32 = convert<int32_t, float>;
  k.f64_of_s32 = convert<int32_t, double>;
  k.f32_of_s64 = kConvert64<int64_t, float>;
  k.f64_of_s64 = kConvert64<int64_t, double>;
  k.s32_of_f32 = convert<float, int32_t>;
  k.s32_of_f64 = convert<double, int32_t>;
  k.s64_of_f32 = kConvert64<float, int64_t>;
  k.s64_of_f64 = kConvert64<double, int64_t>;
  k.f64_of_f32 = convert<float, double>;
  k.f32_of_f64 = convert<double, float>;
  k.f32_of_f64_to_odd = to_odd;
  k.bool_of_u8 = differs_from_zero<uint8_t>;
  k.bool_of_s32 = differs_from_zero<int32_t>;
  k.bool_of_s64 = differs_from_zero<int64_t>;
  k.bool_of_f32 = differs_from_zero<float>;
  k.bool_of_f64 = differs_from_zero<double>;
}

}  // namespace linnet::LINNET_SIMD_NS
