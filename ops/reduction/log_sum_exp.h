#pragma once

#include "linnet/op.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// The logarithm of the sum of e^x of numbers of any type, taken in float64.
KernelPtr make_log_sum_exp(const ReducePlan& plan, DType dtype);

}  // namespace linnet
