#include "kernels/gemm.h"

namespace linnet::LINNET_SIMD_NS {

void fill(GemmKernels<GemmBFloat16Pairs>& kernels);

/// No base set has instructions for them.
void fill(GemmKernels<GemmBFloat16Pairs>&) {}

}  // namespace linnet::LINNET_SIMD_NS
