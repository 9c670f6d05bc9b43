#include "kernels/gemm_strip.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__F16C__) || defined(__aarch64__)
#if defined(__AVX512F__)
F32 widened(const Half* x) { return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))); }
#elif defined(__AVX__)
F32 widened(const Half* x) { return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))); }
#else
F32 widened(const Half* x) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&x->bits))); }
#endif

struct TileHalf : TileF32 {
  using Type = GemmHalf;
  static constexpr bool kHalves = false;
  static F32 load_b(const Half* b, int v) { return widened(b + v * kLanes); }
};
#endif

}  // namespace

void fill(GemmKernels<GemmHalf>& kernels);

void fill([[maybe_unused]] GemmKernels<GemmHalf>& kernels) {
#if defined(__F16C__) || defined(__aarch64__)
  fill_gemm<TileHalf>(kernels);
#endif
}

}  // namespace linnet::LINNET_SIMD_NS
