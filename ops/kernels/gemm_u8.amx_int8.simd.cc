#include "kernels/amx_tiles.h"
#include "kernels/gemm_amx.h"
#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {

void fill(GemmKernels<GemmU8>& kernels);

void fill(GemmKernels<GemmU8>& kernels) { fill_amx<TileU8, AmxBytes>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
