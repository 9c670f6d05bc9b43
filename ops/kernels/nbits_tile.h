#pragma once

// Included by *.simd.cc only: tiles of products with weights of few bits.
#include <utility>

#include "kernels/nbits.h"
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// A vector of codes, or of parts of codes: 4 bytes of each column.
typedef uint8_t Codes __attribute__((vector_size(4 * kLanes)));
typedef uint16_t CodePairs __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));
typedef float Floats __attribute__((vector_size(4 * kLanes)));

constexpr int kVectorBytes = 4 * kLanes;
constexpr int64_t kNBitsAhead = 2048;  // bytes of B that are prefetched before they are used

#if defined(__F16C__) || defined(__aarch64__)
constexpr bool kHalfScales = true;
#else
constexpr bool kHalfScales = false;
#endif

inline Codes load_codes(const std::byte* b) {
  Codes codes;
  __builtin_memcpy(&codes, b, sizeof codes);
  return codes;
}

inline Ints spread(int32_t x) { return Ints{} + x; }
inline F32 to_floats(Ints x) { return __builtin_bit_cast(F32, __builtin_convertvector(x, Floats)); }

/// Widens the bytes of all columns to integers.
inline Ints widen_bytes(const std::byte* b) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Ints, _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b))));
#elif defined(__AVX2__)
  return __builtin_bit_cast(Ints, _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(b))));
#else
  typedef uint8_t Bytes __attribute__((vector_size(kLanes)));
  Bytes bytes;
  __builtin_memcpy(&bytes, b, sizeof bytes);
  return __builtin_convertvector(bytes, Ints);
#endif
}

inline F32 load_floats(const std::byte* b) { return load(reinterpret_cast<const float*>(b)); }

inline F32 load_scales(const std::byte* b, [[maybe_unused]] bool half) {
#if defined(__AVX512F__)
  if (half) return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)));
#elif defined(__F16C__)
  if (half) return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
#elif defined(__aarch64__)
  if (half) return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(reinterpret_cast<const uint8_t*>(b))));
#endif
  return load_floats(b);
}

template <class A>
inline void finish(const NBitsTile<A>& t, int i, F32 total) {
  const bool whole = t.columns == kLanes;
  if (t.bias) total = total + (whole ? load(t.bias) : load_part(t.bias, t.columns));
  float* y = t.y + i * t.y_pitch;
  if (whole) {
    store(y, total);
  } else {
    store_part(y, total, t.columns);
  }
}

/// Runs the tile for as many rows as a job has.
template <template <int, int> class Tile, class A, int kBits, int... kRows>
void multiply_rows(const NBitsTile<A>& tile, std::integer_sequence<int, kRows...>) {
  using Function = void (*)(const NBitsTile<A>&);
  static constexpr Function kTiles[] = {Tile<kBits, kRows + 1>::run...};
  kTiles[tile.rows - 1](tile);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
