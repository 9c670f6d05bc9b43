#include "kernels/gemm_strip.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__AVX512F__)
F32 widened(const BFloat16* x) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  return float_of(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
#elif defined(__AVX2__)
F32 widened(const BFloat16* x) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  return float_of(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
#elif defined(__aarch64__)
F32 widened(const BFloat16* x) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(&x->bits), 16)); }
#else
F32 widened(const BFloat16* x) {
  const __m128i bits = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x));
  return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), bits));
}
#endif

struct TileBFloat16 : TileF32 {
  using Type = GemmBFloat16;
  static constexpr bool kHalves = false;
  static F32 load_b(const BFloat16* b, int v) { return widened(b + v * kLanes); }
};

}  // namespace

void fill(GemmKernels<GemmBFloat16>& kernels);

void fill(GemmKernels<GemmBFloat16>& kernels) { fill_gemm<TileBFloat16>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
