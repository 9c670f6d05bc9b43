#pragma once

#include <complex>

#include "linnet/tensor.h"

namespace linnet {

/// Element types of complex tensors. They have a separate header because few models use them.
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::kComplex64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::kComplex128;

}  // namespace linnet
