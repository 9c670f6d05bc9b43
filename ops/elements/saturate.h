#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace linnet {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

/// Converts an interpolated value to a T. For integers, rounds to the nearest, ties to even, and clamps to their range.
template <class T>
T saturate(double value) {
  if constexpr (std::is_integral_v<T>) {
    const double rounded = std::nearbyint(value);
    if (!(rounded > double(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    if (rounded >= double(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return T(rounded);
  } else if constexpr (kIsComplex<T>) {
    return T(std::complex<double>(value));
  } else {
    return T(value);
  }
}

/// The same for complex T.
template <class T>
T saturate(const std::complex<double>& value) {
  return T(value);
}

}  // namespace linnet
