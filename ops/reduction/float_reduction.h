#pragma once

#include "kernels/forms.h"
#include "kernels/reduce.h"
#include "kernels/transpose.h"
#include "linnet/op.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// A float32 reduction on SIMD kernels: y = finish(join of reduce(part)) over the parts of each output.
struct FloatReduction {
  /// y[i] = f(y[i]) for n reduced values that each come from `count` elements.
  using Finish = void (*)(float* y, int64_t n, int64_t count);

  ReduceKernels::Pair reduce;  ///< of one part
  BinaryForms::F join;         ///< of two values that reductions of parts gave; null: parts cannot be joined
  Finish finish = nullptr;
};

/// plan.count() must not be 0, and plan.reduced.size() must be 1 where the parts cannot be joined.
KernelPtr make_float_reduction(const ReducePlan& plan, const FloatReduction& reduction,
                               const TransposeKernels& transpose);

}  // namespace linnet
