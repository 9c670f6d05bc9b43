#pragma once

#include "elements/cast_path.h"
#include "kernels/number_reduce.h"
#include "kernels/transpose.h"
#include "linnet/op.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// A reduction of numbers of any type: they are converted to what they are reduced in, where that is another type, and
/// reduced in accumulators of it.
struct NumberReducer {
  std::vector<CastStep> convert;  ///< empty: reduced in their own type
  NumberReduction reduce;
  decltype(TransposeKernels::bits8) transpose;  ///< of accumulators
  int64_t x_bytes, total_bytes, y_bytes;
  void (*begin)(void* totals, int64_t n);  ///< n accumulators that hold nothing yet
  /// y[i] = the result of totals[i], which `count` elements went into.
  void (*finish)(const void* totals, int64_t n, int64_t count, void* y);
};

KernelPtr make_number_reduction(const ReducePlan& plan, NumberReducer reducer);

}  // namespace linnet
