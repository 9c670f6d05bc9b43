#pragma once

#include <cstdint>

namespace linnet {

/// A float32 function of one operand: y[i] = f(x[i], alpha, beta). x == y is allowed, other overlap is not.
using UnaryForm = void (*)(const float* x, float* y, int64_t n, float alpha, float beta);

/// One element-wise operation on float32 in the three forms that broadcasting needs. n counts elements of y.
/// y may be a or b, but does not overlap them otherwise.
struct BinaryForms {
  using F = void (*)(const float* a, const float* b, float* y, int64_t n);

  F vector_vector;  ///< y[i] = f(a[i], b[i])
  F vector_scalar;  ///< y[i] = f(a[i], b[0])
  F scalar_vector;  ///< y[i] = f(a[0], b[i])
};

/// y[i] = f(x[0][i], x[1][i], ...) for i < n. y may be one of the inputs, but does not overlap them otherwise.
using NumberFunction = void (*)(const void* const* x, void* y, int64_t n);

// Families whose members are forms.
struct UnaryKernels;
struct BinaryKernels;

}  // namespace linnet
