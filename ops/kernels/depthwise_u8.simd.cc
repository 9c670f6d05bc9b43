#include "kernels/depthwise_u8_lines.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Units of two values, which are widened to 16 bits.
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

  static I32 multiply_add(I32 sum, I32 x, I32 w) { return multiply_add_pairs(x, w, sum); }
};

}  // namespace

void fill(DepthwiseBytesKernels& kernels);

void fill(DepthwiseBytesKernels& kernels) { kernels = {kLanes, Pairs::kValues, 0, depthwise_sums<Pairs>}; }

}  // namespace linnet::LINNET_SIMD_NS
