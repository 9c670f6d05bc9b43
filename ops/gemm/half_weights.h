#pragma once

#include <string>
#include <type_traits>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "linnet/op.h"

namespace linnet {

/// Calls f.template operator()<Type>() with the GemmType that multiplies float32 by an input of weights: of float32,
/// float16 or bfloat16, or of float32 where the instruction set does not widen float16.
template <class F>
auto with_weights_of(const CompileInput& in, int input, const F& f) {
  if (in.dtype(input) == DType::kFloat16 && kernels_for<GemmKernels<GemmHalf>>(in.isa()).strip)
    return f.template operator()<GemmHalf>();
  if (in.dtype(input) == DType::kBFloat16 && kernels_for<GemmKernels<GemmBFloat16>>(in.isa()).strip)
    return f.template operator()<GemmBFloat16>();
  return f.template operator()<GemmF32>();
}

/// What a description says of weights of type B: nothing of float32 and float64.
template <class B>
std::string weights_text() {
  return sizeof(B) == 2 ? str(", weights ", dtype_of<B>) : std::string();
}

/// Checks that weights which are multiplied by float32 are float32, float16 or bfloat16.
void require_weights(const Fact& w, const std::string& what);

/// Throws Error(kUnsupported) unless such weights of 16 bits are constant.
void require_constant_halves(const CompileInput& in, int input, const std::string& what);

/// Weights as float32, for kernels that know no others: themselves where they are.
Tensor float_weights(const Tensor& w, const CompileInput& in);
/// Weights as the type of a product's B: themselves, or widened.
template <class B>
Tensor weights_as(const Tensor& w, const CompileInput& in) {
  return std::is_same_v<B, float> ? float_weights(w, in) : w;
}

}  // namespace linnet
