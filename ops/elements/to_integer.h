#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace linnet {

/// Converts a double to an integer type; to its lowest value if it does not fit or is NaN.
template <class I>
I truncated(double value) {
  const double end = std::ldexp(1.0, std::numeric_limits<I>::digits);
  const double least = std::numeric_limits<I>::is_signed ? -end : 0.0;
  return value > least - 1 && value < end ? static_cast<I>(value) : std::numeric_limits<I>::lowest();
}

/// Converts a double to an integer as ONNX's Cast does, see wide_writer().
template <class T>
T to_integer(double value) {
  if constexpr (sizeof(T) < 4 || std::is_same_v<T, int32_t>)
    return static_cast<T>(truncated<int32_t>(value));
  else if constexpr (std::is_same_v<T, uint64_t>)
    return value < 0 ? T(truncated<int64_t>(value)) : truncated<T>(value);
  else
    return static_cast<T>(truncated<int64_t>(value));
}

/// Converts a number of any type to T: floats to integers as Cast does, others as C++ does.
template <class T, class Number>
T to_number(Number value) {
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Number>)
    return to_integer<T>(value);
  else
    return static_cast<T>(value);
}

}  // namespace linnet
