#include "kernels/gemm.h"

namespace linnet::LINNET_SIMD_NS {

void fill(GemmKernels<GemmBFloat16Pairs>& kernels);

/// Leaves the kernels empty: no base set has instructions for them.
void fill(GemmKernels<GemmBFloat16Pairs>&) {}

}  // namespace linnet::LINNET_SIMD_NS
