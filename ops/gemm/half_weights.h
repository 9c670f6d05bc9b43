#pragma once

#include <string>
#include <type_traits>

#include "gemm/product_types.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "linnet/op.h"

namespace linnet {

/// Calls f.template operator()<Type>() with the GemmType that multiplies float32 by an input of weights. It is the type
/// for their dtype, or GemmF32 where the instruction set does not widen that dtype.
template <class F>
auto with_weights_of(const CompileInput& in, int input, const F& f) {
#define LINNET_GEMM_WEIGHTS(name, B)                                                    \
  if (in.dtype(input) == dtype_of<B> && kernels_for<GemmKernels<name>>(in.isa()).strip) \
    return f.template operator()<name>();
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
  return f.template operator()<GemmF32>();
}

/// Returns the part of a description that is about weights of type B; empty for float32 and float64.
template <class B>
std::string weights_text() {
  return is_widened_type(dtype_of<B>) ? str(", weights ", dtype_of<B>) : std::string();
}

/// Checks that the dtype of weights is one of kWeightTypes.
void require_weights(const Fact& w, const std::string& what);

/// Throws Error(kUnsupported) unless weights of another dtype than input 0 are constant.
void require_constant_narrow(const CompileInput& in, int input, const std::string& what);

/// Returns weights as float32, for kernels that support no other type. float32 weights are returned without a copy.
Tensor float_weights(const Tensor& w, const CompileInput& in);
/// Returns weights in the type of a product's B, without a copy or widened.
template <class B>
Tensor weights_as(const Tensor& w, const CompileInput& in) {
  return std::is_same_v<B, float> ? float_weights(w, in) : w;
}

}  // namespace linnet
