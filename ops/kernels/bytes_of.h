#pragma once

// Included by *.simd.cc only: vectors of bytes as vectors of 32-bit integers.
#include <cstring>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The nearest integers, ties to even, of values that 32 bits hold.
inline I32 nearest_int(F32 v) {
#if defined(__AVX512F__)
  return _mm512_cvtps_epi32(v);
#elif defined(__AVX__)
  return _mm256_cvtps_epi32(v);
#elif defined(__aarch64__)
  return vcvtnq_s32_f32(v);
#else
  return _mm_cvtps_epi32(v);
#endif
}

inline F32 float_of_int(I32 v) {
#if defined(__AVX512F__)
  return _mm512_cvtepi32_ps(v);
#elif defined(__AVX__)
  return _mm256_cvtepi32_ps(v);
#elif defined(__aarch64__)
  return vcvtq_f32_s32(v);
#else
  return _mm_cvtepi32_ps(v);
#endif
}

/// kLanes bytes as integers from 0 to 255.
inline I32 load_bytes(const uint8_t* x) {
#if defined(__AVX512F__)
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
#elif defined(__AVX2__)
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
#else
  uint32_t four;
  std::memcpy(&four, x, sizeof four);
#if defined(__aarch64__)
  return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
#else
  const __m128i zero = _mm_setzero_si128();
  return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(int(four)), zero), zero);
#endif
#endif
}

/// The lowest byte of each.
inline void store_bytes(uint8_t* y, I32 v) {
#if defined(__AVX512F__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm512_cvtepi32_epi8(v));
#elif defined(__AVX2__)
  const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i fours = _mm256_shuffle_epi8(v, order);
  const __m128i bytes = _mm_unpacklo_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(y), bytes);
#else
  uint32_t four;
#if defined(__aarch64__)
  const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_s32(v));
  four = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(halves, halves))), 0);
#else
  const __m128i low = _mm_and_si128(v, _mm_set1_epi32(0xff)), halves = _mm_packs_epi32(low, low);
  four = uint32_t(_mm_cvtsi128_si32(_mm_packus_epi16(halves, halves)));
#endif
  std::memcpy(y, &four, sizeof four);
#endif
}

/// The same of n < kLanes bytes.
inline I32 load_bytes(const uint8_t* x, int64_t n) {
  uint8_t buffer[kLanes] = {};
  std::memcpy(buffer, x, size_t(n));
  return load_bytes(buffer);
}
inline void store_bytes(uint8_t* y, I32 v, int64_t n) {
  uint8_t buffer[kLanes];
  store_bytes(buffer, v);
  std::memcpy(y, buffer, size_t(n));
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
