#pragma once

#include <cstdint>

#include "elementwise/elementwise_chain.h"

namespace linnet {

/// y[i] = f(x[i]) of float16 or bfloat16, as bits; x == y is allowed.
using HalfFunction = void (*)(const uint16_t* x, uint16_t* y, int64_t n);

/// Where all that a chain does is Abs, Neg, Relu or Sign of float16 or bfloat16, that function of the bits: exact, with
/// NaN as it comes. Else nullptr. dtypes: those of all operands.
HalfFunction half_function(const ElementwiseChain& chain, std::span<const DType> dtypes);

}  // namespace linnet
