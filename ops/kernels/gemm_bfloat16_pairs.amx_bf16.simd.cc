#include "kernels/amx_tiles.h"
#include "kernels/gemm_amx.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TilePairs : TileF32 {
  using Type = GemmBFloat16Pairs;
};

}  // namespace

void fill(GemmKernels<GemmBFloat16Pairs>& kernels);

void fill(GemmKernels<GemmBFloat16Pairs>& kernels) { fill_amx<TilePairs, AmxPairs>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
