#include "kernels/nbits_s8.h"

#include <cstring>

namespace linnet::LINNET_SIMD_NS {
namespace {

inline int32_t four_at(const int8_t* a) {
  int32_t four;
  std::memcpy(&four, a, sizeof four);
  return four;
}

#if defined(__aarch64__)
struct Dot {
  static constexpr int kRows = 8;
  static constexpr int kOffset = 128;

  template <int kBits>
  [[gnu::always_inline]] static Ints add(Ints sum, const Codes (&codes)[8 / kBits], const int8_t* a, int64_t pitch) {
    int16x8_t low = vdupq_n_s16(0), high = low;
    LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
      const auto code = __builtin_bit_cast(int8x16_t, codes[g]);
      const int8x16_t four = vreinterpretq_s8_s32(vdupq_n_s32(four_at(a + g * pitch)));
      low = vmlal_s8(low, vget_low_s8(code), vget_low_s8(four));
      high = vmlal_high_s8(high, code, four);
    }
    return sum + __builtin_bit_cast(Ints, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
  }
};
#elif defined(__AVX2__)
#if defined(__AVX512F__)
using Vector = __m512i;
inline Vector multiply_bytes(Vector x, Vector y) { return _mm512_maddubs_epi16(x, y); }
inline Vector multiply_pairs(Vector x, Vector y) { return _mm512_madd_epi16(x, y); }
inline Vector add_pairs(Vector x, Vector y) { return _mm512_add_epi16(x, y); }
/// Return the magnitudes of bytes, and `y` times the sign of `x`. y must not contain -128.
inline Vector magnitude(Vector x) { return _mm512_abs_epi8(x); }
inline Vector signed_by(Vector y, Vector x) {
  return _mm512_mask_sub_epi8(y, _mm512_movepi8_mask(x), _mm512_setzero_si512(), y);
}
#else
using Vector = __m256i;
inline Vector multiply_bytes(Vector x, Vector y) { return _mm256_maddubs_epi16(x, y); }
inline Vector multiply_pairs(Vector x, Vector y) { return _mm256_madd_epi16(x, y); }
inline Vector add_pairs(Vector x, Vector y) { return _mm256_add_epi16(x, y); }
inline Vector magnitude(Vector x) { return _mm256_abs_epi8(x); }
inline Vector signed_by(Vector y, Vector x) { return _mm256_sign_epi8(y, x); }
#endif

/// Adds two products in 16 bits. For codes up to 15 and int8 values these sums fit for all groups. For codes less 128
/// and values from -127 on they just fit: 2 * 128 * 127.
struct Dot {
  static constexpr int kRows = 4;
  static constexpr int kOffset = 128;

  template <int kBits>
  [[gnu::always_inline]] static Ints add(Ints sum, const Codes (&codes)[8 / kBits], const int8_t* a, int64_t pitch) {
    const auto code = [&](int g) { return __builtin_bit_cast(Vector, codes[g]); };
    const auto four = [&](int g) { return __builtin_bit_cast(Vector, spread(four_at(a + g * pitch))); };
    Vector pairs;
    if constexpr (kBits == 8) {
      pairs = multiply_bytes(magnitude(code(0)), signed_by(four(0), code(0)));
    } else {
      pairs = multiply_bytes(code(0), four(0));
      LINNET_UNROLL for (int g = 1; g < 8 / kBits; ++g) pairs = add_pairs(pairs, multiply_bytes(code(g), four(g)));
    }
    const auto ones = __builtin_bit_cast(Vector, spread(0x00010001));
    return sum + __builtin_bit_cast(Ints, multiply_pairs(pairs, ones));
  }
};
#else
/// Multiplies even and odd bytes as 16-bit pairs.
struct Dot {
  static constexpr int kRows = 4;
  static constexpr int kOffset = 0;

  template <int kBits>
  [[gnu::always_inline]] static Ints add(Ints sum, const Codes (&codes)[8 / kBits], const int8_t* a, int64_t pitch) {
    LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
      const auto code = __builtin_bit_cast(__m128i, codes[g]);
      const __m128i four = _mm_set1_epi32(four_at(a + g * pitch));
      const __m128i even =
          _mm_madd_epi16(_mm_and_si128(code, _mm_set1_epi16(0xff)), _mm_srai_epi16(_mm_slli_epi16(four, 8), 8));
      const __m128i odd = _mm_madd_epi16(_mm_srli_epi16(code, 8), _mm_srai_epi16(four, 8));
      sum += __builtin_bit_cast(Ints, even) + __builtin_bit_cast(Ints, odd);
    }
    return sum;
  }
};
#endif

}  // namespace

void fill(NBitsByteKernels& kernels);
void fill(NBitsByteKernels& kernels) { fill_bytes<Dot>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
