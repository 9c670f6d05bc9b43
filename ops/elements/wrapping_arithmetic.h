#pragma once

#include <cstdint>
#include <type_traits>

#include "elements/dispatch.h"

// Common helpers of operators on numbers of any dtype.
namespace linnet {

/// Whether kernel_loop() supports the dtype.
inline bool has_float_kernel(DType dtype) { return dtype == DType::kFloat32; }

/// Dispatches float64 and the integers, which kernel_loop() does not support.
template <class F>
auto dispatch_double_or_integer(DType dtype, F&& f) {
  return dtype == DType::kFloat64 ? f.template operator()<double>() : dispatch_integer(dtype, f);
}

/// Arithmetic modulo 2^bits for integers, for which overflow is undefined in plain C++.
template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class T>
T wrapping_sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}
template <class T>
T wrapping_mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

}  // namespace linnet
