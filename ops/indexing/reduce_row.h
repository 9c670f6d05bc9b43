#pragma once

#include "linnet/node_spec.h"

namespace linnet {

/// How updates change elements.
struct Reduction {
  /// y[i] = f(y[i], u[i]) for n elements.
  void (*row)(void* y, const void* u, int64_t n);
  /// y[at[i]] = f(y[at[i]], u[i]) for n elements, in order.
  void (*at)(void* y, const int64_t* at, const void* u, int64_t n);
};

/// The attribute `reduction` of ScatterElements and ScatterND: how an update is combined with the existing element. Max
/// and min of a NaN are NaN. 16-bit floats are computed in float32.
enum class ScatterReduction { kNone, kAdd, kMul, kMin, kMax };

/// Reads the attribute, "none" if absent. Throws Error(kModel) for a word other than none, add, mul, min, max.
ScatterReduction scatter_reduction(const NodeSpec& node);

/// Throws Error(kType) for dtypes that cannot be reduced. kNone copies any dtype of a byte or more.
Reduction reduction_of(ScatterReduction reduction, DType dtype);

}  // namespace linnet
