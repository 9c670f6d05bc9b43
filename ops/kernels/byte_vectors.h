#pragma once

// Included by *.simd.cc only: 32-bit integers, and kLanes bytes as such integers.
#include <cstring>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// A compiler vector of kCount values.
template <class T, int kCount>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kCount * sizeof(T))));
};

#if defined(__AVX512F__)
inline I32 widen(const uint8_t* x) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}
inline I32 widen(const int8_t* x) { return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))); }
/// Stores the lowest byte of each lane.
inline void narrow(I32 v, void* y) { _mm_storeu_si128(static_cast<__m128i*>(y), _mm512_cvtepi32_epi8(v)); }
#elif defined(__AVX2__)
inline I32 widen(const uint8_t* x) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
}
inline I32 widen(const int8_t* x) { return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x))); }
/// Stores the lowest byte of each lane.
inline void narrow(I32 v, void* y) {
  const __m256i lowest = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  //
                                          0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i bytes = _mm256_shuffle_epi8(v, lowest);
  _mm_storel_epi64(static_cast<__m128i*>(y),
                   _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
}
#elif defined(__aarch64__)
inline uint8x8_t load_four(const void* x) {
  uint32_t four;
  std::memcpy(&four, x, sizeof four);
  return vreinterpret_u8_u32(vdup_n_u32(four));
}
inline I32 widen(const uint8_t* x) { return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(load_four(x))))); }
inline I32 widen(const int8_t* x) { return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(load_four(x))))); }
/// Stores the lowest byte of each lane.
inline void narrow(I32 v, void* y) {
  const uint16x4_t half = vmovn_u32(vreinterpretq_u32_s32(v));
  const uint32_t four = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(half, half))), 0);
  std::memcpy(y, &four, sizeof four);
}
#else
inline __m128i load_four(const void* x) {
  int32_t four;
  std::memcpy(&four, x, sizeof four);
  return _mm_cvtsi32_si128(four);
}
inline I32 widen(const uint8_t* x) {
  const __m128i zero = _mm_setzero_si128();
  return _mm_unpacklo_epi16(_mm_unpacklo_epi8(load_four(x), zero), zero);
}
inline I32 widen(const int8_t* x) {
  const __m128i twice = _mm_unpacklo_epi8(load_four(x), load_four(x));
  return _mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24);
}
/// Stores the lowest byte of each lane.
inline void narrow(I32 v, void* y) {
  const __m128i half = _mm_packs_epi32(_mm_and_si128(v, _mm_set1_epi32(0xff)), _mm_setzero_si128());
  const int32_t four = _mm_cvtsi128_si32(_mm_packus_epi16(half, half));
  std::memcpy(y, &four, sizeof four);
}
#endif

#if defined(__AVX512F__)
/// Loads the first n < kLanes elements; the other lanes become 0.
inline I32 load_part(const int32_t* x, int64_t n) { return _mm512_maskz_loadu_epi32(first_lanes(n), x); }
inline void store_part(int32_t* y, I32 v, int64_t n) { _mm512_mask_storeu_epi32(y, first_lanes(n), v); }
#elif defined(__AVX2__)
inline I32 load_part(const int32_t* x, int64_t n) { return _mm256_maskload_epi32(x, first_lanes(n)); }
inline void store_part(int32_t* y, I32 v, int64_t n) { _mm256_maskstore_epi32(y, first_lanes(n), v); }
#else
[[gnu::noinline]] inline I32 load_part(const int32_t* x, int64_t n) {
  int32_t buffer[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) buffer[i] = x[i];
  return I32::load_unaligned(buffer);
}
[[gnu::noinline]] inline void store_part(int32_t* y, I32 v, int64_t n) {
  int32_t buffer[kLanes];
  v.store_unaligned(buffer);
  for (int64_t i = 0; i < n; ++i) y[i] = buffer[i];
}
#endif

/// Copies n < kLanes bytes. kLanes bytes are written; the others are 0.
inline void copy_part(uint8_t* y, const void* x, int64_t n) {
#if defined(__AVX512BW__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_maskz_loadu_epi8(first_lanes(n), x));
#else
  std::memset(y, 0, kLanes);
  std::memcpy(y, x, size_t(n));
#endif
}

/// Widens n < kLanes bytes; the other lanes become 0.
template <class T>
inline I32 widen_part(const T* x, int64_t n) {
  uint8_t buffer[kLanes];
  copy_part(buffer, x, n);
  return widen(reinterpret_cast<const T*>(buffer));
}
inline void narrow_part(I32 v, void* y, int64_t n) {
  uint8_t buffer[kLanes];
  narrow(v, buffer);
  std::memcpy(y, buffer, size_t(n));
}

/// Returns z plus the products of the pairs of int16 in each lane of x and y.
inline I32 multiply_add_pairs(I32 x, I32 y, I32 z) {
#if defined(__AVX512F__)
  return _mm512_add_epi32(z, _mm512_madd_epi16(x, y));
#elif defined(__AVX2__)
  return _mm256_add_epi32(z, _mm256_madd_epi16(x, y));
#elif defined(__aarch64__)
  const int16x8_t a = vreinterpretq_s16_s32(x), b = vreinterpretq_s16_s32(y);
  return vaddq_s32(z, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
#else
  return _mm_add_epi32(z, _mm_madd_epi16(x, y));
#endif
}

/// Rounds to the nearest integers, ties to even. On x86, values that are too large, too small or NaN become the least
/// integer. On NEON they become the nearest integer, and NaN becomes 0.
inline I32 nearest(F32 x) {
#if defined(__AVX512F__)
  return _mm512_cvtps_epi32(x);
#elif defined(__AVX2__)
  return _mm256_cvtps_epi32(x);
#elif defined(__aarch64__)
  return vcvtnq_s32_f32(x);
#else
  return _mm_cvtps_epi32(x);
#endif
}

/// Adds `zero_point` to four vectors of integers and stores them as bytes, with saturation.
template <class T>
inline void narrow_four(const I32 (&v)[4], int16_t zero_point, T* y) {
  constexpr bool kSigned = T(-1) < 0;
#if defined(__AVX512F__)
  const __m512i zero = _mm512_set1_epi16(zero_point);
  const __m512i a = _mm512_adds_epi16(_mm512_packs_epi32(v[0], v[1]), zero);
  const __m512i b = _mm512_adds_epi16(_mm512_packs_epi32(v[2], v[3]), zero);
  const __m512i bytes = kSigned ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
  // Each 128-bit lane holds a part of every vector.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  _mm512_storeu_si512(y, _mm512_permutexvar_epi32(order, bytes));
#elif defined(__AVX2__)
  const __m256i zero = _mm256_set1_epi16(zero_point);
  const __m256i a = _mm256_adds_epi16(_mm256_packs_epi32(v[0], v[1]), zero);
  const __m256i b = _mm256_adds_epi16(_mm256_packs_epi32(v[2], v[3]), zero);
  const __m256i bytes = kSigned ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm256_permutevar8x32_epi32(bytes, order));
#elif defined(__aarch64__)
  const int16x8_t zero = vdupq_n_s16(zero_point);
  const int16x8_t a = vqaddq_s16(vcombine_s16(vqmovn_s32(v[0]), vqmovn_s32(v[1])), zero);
  const int16x8_t b = vqaddq_s16(vcombine_s16(vqmovn_s32(v[2]), vqmovn_s32(v[3])), zero);
  if constexpr (kSigned) {
    vst1q_s8(y, vcombine_s8(vqmovn_s16(a), vqmovn_s16(b)));
  } else {
    vst1q_u8(y, vcombine_u8(vqmovun_s16(a), vqmovun_s16(b)));
  }
#else
  const __m128i zero = _mm_set1_epi16(zero_point);
  const __m128i a = _mm_adds_epi16(_mm_packs_epi32(v[0], v[1]), zero);
  const __m128i b = _mm_adds_epi16(_mm_packs_epi32(v[2], v[3]), zero);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), kSigned ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b));
#endif
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
