#pragma once

#include "kernels/forms.h"
#include "linnet/dtype.h"

namespace linnet {

/// Classifies floats; the results are bool.
struct KindFunctions {
  NumberFunction nan, infinite, positive_infinite, negative_infinite;
};

/// Functions of one integer. Results wrap.
struct IntegerFunctions {
  NumberFunction abs, sign;
};

/// Functions of one float64. NaN gives NaN. The table of functions defines them; functions/number_functions.h defines
/// their accuracy.
struct DoubleFunctions {
  NumberFunction abs, acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, cube, erf, exp, floor, log, neg,
      reciprocal, relu, round, sigmoid, sign, sin, sinh, softplus, sqrt, square, tan, tanh;
};

/// Element-wise functions of one number of other types than float32.
struct NumberUnaryKernels {
  KindFunctions f16, bf16, f32, f64;
  IntegerFunctions s8, s16, s32, s64;
  DoubleFunctions doubles;

  /// Returns the member for a dtype, or nullptr for other dtypes.
  const KindFunctions* kinds(DType dtype) const;
  const IntegerFunctions* integers(DType dtype) const;
};

}  // namespace linnet
