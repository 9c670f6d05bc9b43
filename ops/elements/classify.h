#pragma once

#include "elements/small_float.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "linnet/op.h"

namespace linnet {

/// An operator that classifies each element of a floating-point tensor as bool.
class ClassifyOp : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!is_float8(in[0].dtype)) require_floating(in[0], "X");
    return {Fact(DType::kBool, in[0].dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  bool is_elementwise() const override { return true; }

 protected:
  /// y = f(x) for elements of one byte, else the equivalent y = kind(x).
  template <class F>
  static KernelPtr classify(const CompileInput& in, NumberFunction KindFunctions::*kind, F f) {
    const DType dtype = in.dtype(0);
    if (is_float8(dtype)) {
      return elementwise(
          in, unary_loop<uint8_t, bool>([dtype, f](uint8_t code) { return f(decode_small_float(dtype, code)); }));
    }
    return elementwise(in, number_loop(kernels_for<NumberUnaryKernels>(in.isa()).kinds(dtype)->*kind, in));
  }
};

}  // namespace linnet
