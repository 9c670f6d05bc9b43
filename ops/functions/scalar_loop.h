#pragma once

#include "elements/dispatch.h"
#include "elements/to_integer.h"
#include "functions/function_table.h"

// Converts a captureless lambda f(x, alpha, beta) for any number type to the loops of a row of the table. The
// parameters have the type of x, or double if that is an integer; results are converted to integers as by Cast.
namespace linnet {

template <class T, class F>
void scalar_loop(const void* x, void* y, int64_t n, float alpha, float beta) {
  using P = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  for (int64_t i = 0; i < n; ++i) to[i] = to_number<T>(F{}(from[i], P(alpha), P(beta)));
}

template <class F>
ScalarLoop float_loop(DType dtype) {
  if (dtype == DType::kFloat32) return scalar_loop<float, F>;
  if (dtype == DType::kFloat64) return scalar_loop<double, F>;
  throw_dtype(dtype);
}

template <class F>
ScalarLoop number_loop(DType dtype) {
  if (!is_integer(dtype)) return float_loop<F>(dtype);
  return dispatch_integer(dtype, []<class T>() -> ScalarLoop { return scalar_loop<T, F>; });
}

/// Makes a loop for float32 and float64.
template <class F>
constexpr auto floats(F) {
  return float_loop<F>;
}

/// Makes a loop for float32, float64 and integers.
template <class F>
constexpr auto numbers(F) {
  return number_loop<F>;
}

}  // namespace linnet
