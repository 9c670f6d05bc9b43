#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Both factors are signed: those of A are less by 128, which GemmKernels::a_shift tells.
struct TileSigned : TileU8 {
  static I32 spread(const uint8_t* a) { return TileU8::spread(a) ^ I32(int32_t(0x80808080u)); }
  static I32 multiply_add(I32 x, I32 y, I32 z) {
    return vdotq_s32(z, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(y));
  }
};

}  // namespace

void fill(GemmKernels<GemmU8>& kernels);

void fill(GemmKernels<GemmU8>& kernels) {
  fill_gemm<TileSigned>(kernels);
  kernels.a_shift = 128;
}

}  // namespace linnet::LINNET_SIMD_NS
