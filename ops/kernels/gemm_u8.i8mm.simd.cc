#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileMixed : TileU8 {
  static I32 multiply_add(I32 x, I32 y, I32 z) {
    return vusdotq_s32(z, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(y));
  }
};

}  // namespace

void fill(GemmKernels<GemmU8>& kernels);

void fill(GemmKernels<GemmU8>& kernels) { fill_gemm<TileMixed>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
