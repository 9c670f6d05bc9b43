#pragma once

// Included by *.simd.cc only: int8 rows times codes, with the multiplication that each unit defines.
#include "kernels/byte_vectors.h"
#include "kernels/nbits_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// `Dot` defines the offset of codes of 8 bits, the rows of its highest tile, and add<kBits>(sum, codes, a, pitch).
/// That function returns sum + the products of 8 / kBits vectors of codes, four codes of each column, and as many
/// groups of four values at a, a + pitch ...
template <class Dot>
struct Bytes {
  template <int kBits, int MR>
  struct Tile {
    static constexpr int kOffset = kBits == 8 ? Dot::kOffset : 0;
    static constexpr int kGroups = 8 / kBits;

    static void cut(Codes codes, Codes (&groups)[kGroups]) {
      if constexpr (kBits == 8) {
        groups[0] = codes ^ uint8_t(Dot::kOffset);
      } else {
        const auto pairs = __builtin_bit_cast(CodePairs, codes);
        constexpr uint16_t kMask = 0x0101 * ((1 << kBits) - 1);
        LINNET_UNROLL for (int g = 0; g < kGroups; ++g) {
          groups[g] = __builtin_bit_cast(Codes, (pairs >> uint16_t(kBits * g)) & kMask);
        }
      }
    }

    template <bool kFloatZeros>
    [[gnu::always_inline]] static void begin(const NBitsForm& form, const std::byte* zeros, const int32_t* sums,
                                             Ints (&sum)[MR]) {
      if constexpr (kFloatZeros) {
        LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i] = spread(kOffset * sums[i]);
      } else if (form.zeros == NBitsZeros::kMiddle) {
        LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i] = spread(sums[i]);
      } else {
        const Ints factor = kOffset - widen_bytes(zeros);
        LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i] = factor * sums[i];
      }
    }

    template <bool kFloatZeros>
    [[gnu::always_inline]] static void run_blocks(const NBitsTile<int8_t>& t) {
      const NBitsForm form = *t.form;
      const int64_t code_bytes = form.code_bytes(), scale_bytes = form.scale_bytes(), zero_bytes = form.zero_bytes();
      const std::byte* b = t.b;
      const int8_t* a = t.a;
      const float* a_scales = t.a_scales;
      const int32_t* a_sums = t.a_sums;
      F32 total[MR];
      LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i] = F32(0.0f);
      for (int64_t block = 0; block < form.blocks; ++block, a_scales += MR, a_sums += MR) {
        Ints sum[MR];
        begin<kFloatZeros>(form, b + code_bytes + scale_bytes, a_sums, sum);
        for (const std::byte* end = b + code_bytes; b < end; b += kVectorBytes, a += 4 * MR * kGroups) {
          __builtin_prefetch(b + kNBitsAhead);
          Codes groups[kGroups];
          cut(load_codes(b), groups);
          LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i] =
              Dot::template add<kBits>(sum[i], groups, a + 4 * i, 4 * MR);
        }
        const F32 scales = load_scales(b, form.half_scales);
        b += scale_bytes;
        LINNET_UNROLL for (int i = 0; i < MR; ++i) {
          F32 exact = to_floats(sum[i]);
          if constexpr (kFloatZeros) exact = xsimd::fnma(load_floats(b), F32(float(a_sums[i])), exact);
          total[i] = xsimd::fma(exact, scales * F32(a_scales[i]), total[i]);
        }
        b += zero_bytes;
      }
      LINNET_UNROLL for (int i = 0; i < MR; ++i) finish(t, i, total[i]);
    }

    static void run(const NBitsTile<int8_t>& t) {
      t.form->zeros == NBitsZeros::kFloats ? run_blocks<true>(t) : run_blocks<false>(t);
    }
  };
};

/// Returns the largest lane.
inline int32_t largest_lane(Ints x) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_epi32(__builtin_bit_cast(__m512i, x));
#elif defined(__AVX2__)
  const auto all = __builtin_bit_cast(__m256i, x);
  const __m128i four = _mm_max_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  const __m128i two = _mm_max_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32(two, 1)));
#else
  int32_t most = x[0];
  for (int i = 1; i < kLanes; ++i) most = x[i] > most ? x[i] : most;
  return most;
#endif
}

/// Returns the largest magnitude of a block. NaN, whose bits are the highest, is returned where any value is NaN.
inline float largest(const float* a, int64_t n) {
  Ints most{};
  for (int64_t i = 0; i < n; i += kLanes) {
    const F32 x = i + kLanes <= n ? load(a + i) : load_part(a + i, n - i);
    const auto bits = __builtin_bit_cast(Ints, magnitude_of(x));
    most = bits > most ? bits : most;
  }
  return __builtin_bit_cast(float, largest_lane(most));
}

/// Sets q = round(a * inverse), where |a * inverse| <= 127, in whole vectors. Returns the sum of all values.
inline int32_t round_block(const float* a, int64_t n, float inverse, int8_t* q) {
  Ints sum{};
  for (int64_t i = 0; i < n; i += kLanes) {
    const F32 x = i + kLanes <= n ? load(a + i) : load_part(a + i, n - i);
    // Adding 1.5 * 2^23 rounds to an integer in the low bits.
    const Ints rounded = __builtin_bit_cast(Ints, x * F32(inverse) + F32(0x1.8p23f)) - int32_t(0x4b400000);
    narrow(__builtin_bit_cast(I32, rounded), q + i);
    sum += rounded;
  }
  return int32_t(sum_lanes(to_floats(sum)));  // exact: below 2^24
}

inline void quantize(const float* a, int64_t n, int block, int rows, int32_t factor, int8_t* q, float* scales,
                     int32_t* sums) {
  constexpr float kLeast = 0x1p-119f;  // 127 divided by it is finite
  int8_t apart[kLongestNBitsBlock];
  for (; n > 0; n -= block, a += block, q += rows * block, scales += rows, sums += rows) {
    const int64_t values = n < block ? n : block;
    int8_t* rounded = rows == 1 ? q : apart;
    const float most = largest(a, values);
    const bool finite = most < __builtin_inff(), zero = !finite || most < kLeast;
    if (zero || values < block) __builtin_memset(rounded, 0, size_t(block));
    *scales = !finite ? __builtin_nanf("") : zero ? 0.0f : most / 127.0f;
    *sums = zero ? 0 : factor * round_block(a, values, 127.0f / most, rounded);
    if (rows == 1) continue;
    for (int k = 0; k < block; k += 4) __builtin_memcpy(q + k * rows, apart + k, 4);
  }
}

template <class Dot>
void multiply_bytes_of(const NBitsTile<int8_t>& tile) {
  constexpr std::make_integer_sequence<int, Dot::kRows> kAll;
  if (tile.form->bits == 2) return multiply_rows<Bytes<Dot>::template Tile, int8_t, 2>(tile, kAll);
  if (tile.form->bits == 4) return multiply_rows<Bytes<Dot>::template Tile, int8_t, 4>(tile, kAll);
  multiply_rows<Bytes<Dot>::template Tile, int8_t, 8>(tile, kAll);
}

template <class Dot>
void fill_bytes(NBitsByteKernels& kernels) {
  kernels = {Dot::kRows, Dot::kOffset, quantize, multiply_bytes_of<Dot>};
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
