#pragma once

#include "elements/cast_path.h"
#include "kernels/forms.h"
#include "kernels/number_reduce.h"
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

/// A reduction of numbers of any type: they are converted to what they are reduced in, where that is another type, and
/// reduced in accumulators of it.
struct NumberReducer {
  std::vector<Conversion> convert;  ///< empty: reduced in their own type
  NumberReduction reduce;
  decltype(TransposeKernels::bits8) transpose;  ///< of accumulators
  int64_t x_bytes, total_bytes, y_bytes;
  void (*begin)(void* totals, int64_t n);  ///< n accumulators that hold nothing yet
  /// y[i] = the result of totals[i], which `count` elements went into.
  void (*finish)(const void* totals, int64_t n, int64_t count, void* y);
};

KernelPtr make_number_reduction(const ReducePlan& plan, NumberReducer reducer);

/// The logarithm of the sum of e^x of numbers of any type, taken in float64.
KernelPtr make_log_sum_exp(const ReducePlan& plan, DType dtype);

}  // namespace linnet
