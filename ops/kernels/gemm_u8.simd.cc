#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__AVX2__)
/// Products with intermediate sums of two products in 16 bits. They are exact for the weights that GemmKernels::narrow
/// describes.
struct TilePairs : TileU8 {
#if defined(__AVX512F__)
  static I32 multiply_add(I32 x, I32 y, I32 z) {
    return _mm512_add_epi32(z, _mm512_madd_epi16(_mm512_maddubs_epi16(x, y), _mm512_set1_epi16(1)));
  }
#else
  static I32 multiply_add(I32 x, I32 y, I32 z) {
    return _mm256_add_epi32(z, _mm256_madd_epi16(_mm256_maddubs_epi16(x, y), _mm256_set1_epi16(1)));
  }
#endif
};
#endif

}  // namespace

void fill(GemmKernels<GemmU8>& kernels);

void fill([[maybe_unused]] GemmKernels<GemmU8>& kernels) {
#if defined(__AVX2__)
  fill_gemm<TilePairs>(kernels);
  kernels.narrow = true;
#endif
}

}  // namespace linnet::LINNET_SIMD_NS
