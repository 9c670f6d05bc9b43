#pragma once

#include "elements/cast_path.h"
#include "kernels/forms.h"
#include "kernels/number_reduce.h"
#include "kernels/reduce.h"
#include "kernels/transpose.h"
#include "linnet/op.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// A float32 reduction by SIMD kernels. Each output is finish(join of reduce(part)) over its parts.
struct FloatReduction {
  /// y[i] = f(y[i]) for n reduced values that each come from `count` elements.
  using Finish = void (*)(float* y, int64_t n, int64_t count);

  ReduceKernels::Pair reduce;  ///< Reduces one part.
  BinaryForms::F join;         ///< Joins the results of two parts; null if parts cannot be joined.
  Finish finish = nullptr;
};

/// Returns the kernel of a plan. plan.count() must not be 0. If the parts cannot be joined, plan.reduced.size() must be
/// 1.
KernelPtr make_float_reduction(const ReducePlan& plan, const FloatReduction& reduction,
                               const TransposeKernels& transpose);

/// A reduction of numbers of any dtype, in accumulators. The elements are converted to the dtype of the reduction first
/// if it differs.
struct NumberReducer {
  std::vector<Conversion> convert;  ///< Empty if the elements are reduced in their own dtype.
  NumberReduction reduce;
  decltype(TransposeKernels::bits8) transpose;  ///< Transposes accumulators.
  int64_t x_bytes, total_bytes, y_bytes;
  void (*begin)(void* totals, int64_t n);  ///< Initialises n accumulators.
  /// Sets y[i] to the result of totals[i], which is the accumulator of `count` elements.
  void (*finish)(const void* totals, int64_t n, int64_t count, void* y);
};

KernelPtr make_number_reduction(const ReducePlan& plan, NumberReducer reducer);

/// Returns a kernel for the logarithm of the sum of e^x of numbers of any dtype, computed in float64.
KernelPtr make_log_sum_exp(const ReducePlan& plan, DType dtype);

}  // namespace linnet
