#pragma once

#include <complex>

#include "linnet/tensor.h"

namespace linnet {

/// Elements of tensors of complex numbers. They have a header of their own, as few models have them.
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::kComplex64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::kComplex128;

}  // namespace linnet
