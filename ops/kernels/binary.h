#pragma once

#include <cstdint>

namespace linnet {

/// One element-wise operation on float32 in the three forms that broadcasting needs. n counts elements of y.
/// y may be a or b, but overlap neither otherwise.
struct BinaryForms {
  using F = void (*)(const float* a, const float* b, float* y, int64_t n);

  F vector_vector;  ///< y[i] = f(a[i], b[i])
  F vector_scalar;  ///< y[i] = f(a[i], b[0])
  F scalar_vector;  ///< y[i] = f(a[0], b[i])
};

/// Element-wise float32 operations. What an element becomes does not depend on its position.
struct BinaryKernels {
  BinaryForms add;
  BinaryForms sub;
  BinaryForms mul;
  BinaryForms div;
  BinaryForms max;    ///< NaN where either operand is
  BinaryForms min;    ///< NaN where either operand is
  BinaryForms prelu;  ///< a < 0 ? a b : a
  BinaryForms pow;    ///< a^b within 1 unit in the last place
};

}  // namespace linnet
