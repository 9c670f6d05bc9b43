#pragma once

// Included by depthwise_u8.*.simd.cc only, for instructions that multiply four bytes of each lane.
#include "kernels/depthwise_u8_lines.h"
#include "kernels/dot_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct Fours {
  static constexpr int kValues = 4;

  /// Returns in lane i the bytes i of all x, the first x in the lowest byte.
  static I32 gather(const uint8_t* const (&x)[4]) { return shift_bytes(interleave(x)); }
  static I32 gather_one(const uint8_t* x) { return shift_bytes(widen(x)); }
  static I32 multiply_add(I32 sum, I32 x, I32 w) { return add_fours(sum, x, w); }

 private:
#if defined(__AVX512F__)
  static I32 interleave(const uint8_t* const (&x)[4]) {
    const auto line = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x[i])); };
    __m512i v = _mm512_castsi128_si512(line(0));
    v = _mm512_inserti32x4(v, line(1), 1);
    v = _mm512_inserti32x4(v, line(2), 2);
    v = _mm512_inserti32x4(v, line(3), 3);
    v = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
    return _mm512_shuffle_epi8(
        v, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
  }
#elif defined(__AVX2__)
  static I32 interleave(const uint8_t* const (&x)[4]) {
    const auto line = [&](int i) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x[i])); };
    const __m128i first = _mm_unpacklo_epi8(line(0), line(1)), second = _mm_unpacklo_epi8(line(2), line(3));
    return _mm256_set_m128i(_mm_unpackhi_epi16(first, second), _mm_unpacklo_epi16(first, second));
  }
#else
  static I32 interleave(const uint8_t* const (&x)[4]) {
    uint8_t lines[16];
    LINNET_UNROLL for (int i = 0; i < 4; ++i) std::memcpy(lines + 4 * i, x[i], 4);
    static constexpr uint8_t kOrder[]{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    return vreinterpretq_s32_u8(vqtbl1q_u8(vld1q_u8(lines), vld1q_u8(kOrder)));
  }
#endif
};

}  // namespace

void fill(DepthwiseBytesKernels& kernels);

void fill(DepthwiseBytesKernels& kernels) { kernels = {kLanes, Fours::kValues, kDotShift, depthwise_sums<Fours>}; }

}  // namespace linnet::LINNET_SIMD_NS
