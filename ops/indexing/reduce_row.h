#pragma once

#include "linnet/node_spec.h"

namespace linnet {

/// How elements are changed by updates.
struct Reduction {
  /// y[i] = f(y[i], u[i]) for n elements.
  void (*row)(void* y, const void* u, int64_t n);
  /// y[at[i]] = f(y[at[i]], u[i]) for n elements, in order.
  void (*at)(void* y, const int64_t* at, const void* u, int64_t n);
};

/// What the attribute `reduction` of ScatterElements and ScatterND does with an element that is there already.
/// Max and min of a NaN are NaN; floats of 16 bits are computed in float32.
enum class ScatterReduction { kNone, kAdd, kMul, kMin, kMax };

/// The attribute, "none" where absent. Throws Error(kModel) for another word than none, add, mul, min, max.
ScatterReduction scatter_reduction(const NodeSpec& node);

/// Throws Error(kType) for dtypes that cannot be reduced; kNone copies any dtype of a byte or more.
Reduction reduction_of(ScatterReduction reduction, DType dtype);

}  // namespace linnet
