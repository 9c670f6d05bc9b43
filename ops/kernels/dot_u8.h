#pragma once

// Included by *.simd.cc only, for instruction sets that add four products of bytes to a 32-bit integer.
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__ARM_FEATURE_DOTPROD) && !defined(__ARM_FEATURE_MATMUL_INT8)
/// Both factors are signed, so the unsigned factor must be reduced by this shift.
constexpr int32_t kDotShift = 128;
#else
constexpr int32_t kDotShift = 0;
#endif

/// Subtracts kDotShift from unsigned bytes.
inline I32 shift_bytes(I32 x) { return kDotShift != 0 ? x ^ I32(int32_t(0x80808080u)) : x; }

/// Returns sum + the products of each lane's four bytes. Those of x are unsigned bytes less kDotShift.
inline I32 add_fours(I32 sum, I32 x, I32 w) {
  // GCC 12 adds register moves around the intrinsics of x86.
#if defined(__AVX512F__)
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.data) : "v"(x.data), "v"(w.data));
  return sum;
#elif defined(__AVX2__)
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.data) : "x"(x.data), "x"(w.data));
  return sum;
#elif defined(__ARM_FEATURE_MATMUL_INT8)
  return vusdotq_s32(sum, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(w));
#else
  return vdotq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(w));
#endif
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
