#pragma once

#include "elementwise/elementwise_chain.h"
#include "kernels/half_bits.h"
#include "kernels/isa.h"

namespace linnet {

/// Where all that a chain does is Abs, Neg, Relu or Sign of float16 or bfloat16, that function of the bits: exact, with
/// NaN as it comes. Else nullptr. dtypes: those of all operands.
HalfFunction half_function(const ElementwiseChain& chain, std::span<const DType> dtypes, Isa isa);

}  // namespace linnet
