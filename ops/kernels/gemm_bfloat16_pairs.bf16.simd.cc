#include <cstring>

#include "kernels/gemm_strip.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__AVX512BF16__)
struct TilePairs : TileF32 {
  using Type = GemmBFloat16Pairs;
  using Factor = I32;
  static constexpr bool kHalves = false;

  static I32 load_b(const BFloat16* b, int v) {
    return I32::load_unaligned(reinterpret_cast<const int32_t*>(b + v * 2 * kLanes));
  }
  static I32 spread(const BFloat16* a) {
    int32_t pair;
    std::memcpy(&pair, a, sizeof pair);
    return I32(pair);
  }
  // GCC 12 adds register moves around the intrinsic.
  static F32 multiply_add(I32 x, I32 y, F32 z) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(z.data) : "v"(x.data), "v"(y.data));
    return z;
  }
};
#endif

}  // namespace

void fill(GemmKernels<GemmBFloat16Pairs>& kernels);

void fill([[maybe_unused]] GemmKernels<GemmBFloat16Pairs>& kernels) {
#if defined(__AVX512BF16__)
  fill_gemm<TilePairs>(kernels);
#endif
}

}  // namespace linnet::LINNET_SIMD_NS
