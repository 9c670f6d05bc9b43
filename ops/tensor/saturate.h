#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace linnet {

/// An interpolated value as a T: for integers rounded to the nearest, ties to even, and cut off at their range.
template <class T>
T saturate(double value) {
  if constexpr (std::is_integral_v<T>) {
    const double rounded = std::nearbyint(value);
    if (!(rounded > double(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    if (rounded >= double(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return T(rounded);
  } else {
    return T(value);
  }
}

}  // namespace linnet
