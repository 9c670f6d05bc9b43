#pragma once

#include <cstdint>

namespace linnet {

/// y[i] = x[i] for i < n in another type of number. x and y do not overlap.
/// - Floats become integers by rounding towards zero. Those that do not fit become the least integer.
/// - Integers become narrower ones by losing their higher bits.
/// - Integers become floats by one rounding to the nearest, ties to even.
/// - bool is whether x[i] differs from 0.
struct NumberCastKernels {
  using F = void (*)(const void* x, void* y, int64_t n);

  F s32_of_u8, s32_of_s8, s32_of_u16, s32_of_s16, s64_of_u32, s64_of_s32;
  F s64_of_u8, s64_of_s8, f32_of_u8, f32_of_s8, f64_of_u8, f64_of_s8;
  F bits8_of_s32, bits16_of_s32, bits32_of_s64;
  F f32_of_s32, f64_of_s32, f32_of_s64, f64_of_s64;
  F s32_of_f32, s32_of_f64, s64_of_f32, s64_of_f64;
  F f64_of_f32, f32_of_f64;
  F f32_of_f64_to_odd;  ///< inexact results get an odd last bit, so that they can be rounded once more
  F bool_of_u8, bool_of_s32, bool_of_s64, bool_of_f32, bool_of_f64;
};

}  // namespace linnet
