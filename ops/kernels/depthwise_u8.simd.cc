#include "kernels/depthwise_u8_lines.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Two values are widened to 16 bits.
struct Pairs {
  static constexpr int kValues = 2;

  static I32 gather_one(const uint8_t* x) { return widen(x); }
#if defined(__AVX2__) && !defined(__AVX512F__)
  static I32 gather(const uint8_t* const (&x)[2]) {
    const auto line = [&](int i) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x[i])); };
    return _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(line(0), line(1)));
  }
#else
  static I32 gather(const uint8_t* const (&x)[2]) { return widen(x[0]) | (widen(x[1]) << 16); }
#endif

  static I32 multiply_add(I32 sum, I32 x, I32 w) {
#if defined(__AVX512F__)
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x, w));
#elif defined(__AVX2__)
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
#elif defined(__aarch64__)
    const int16x8_t a = vreinterpretq_s16_s32(x), b = vreinterpretq_s16_s32(w);
    return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
#else
    return _mm_add_epi32(sum, _mm_madd_epi16(x, w));
#endif
  }
};

}  // namespace

void fill(DepthwiseBytesKernels& kernels);

void fill(DepthwiseBytesKernels& kernels) { kernels = {kLanes, Pairs::kValues, 0, depthwise_sums<Pairs>}; }

}  // namespace linnet::LINNET_SIMD_NS
