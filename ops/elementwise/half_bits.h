#pragma once

#include "elementwise/elementwise_chain.h"
#include "kernels/half_bits.h"
#include "kernels/isa.h"

namespace linnet {

/// If a chain only computes Abs, Neg, Relu or Sign of float16 or bfloat16, the function on the bits, which is exact and
/// keeps NaN. Else nullptr. dtypes: those of all operands.
HalfFunction half_function(const ElementwiseChain& chain, std::span<const DType> dtypes, Isa isa);

}  // namespace linnet
