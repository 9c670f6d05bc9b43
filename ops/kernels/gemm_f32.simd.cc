#include "kernels/gemm_strip.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {

void fill(GemmKernels<GemmF32>& kernels);

void fill(GemmKernels<GemmF32>& kernels) { fill_gemm<TileF32>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
