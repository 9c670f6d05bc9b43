#pragma once

#include <algorithm>
#include <cstdint>

#include "linnet/tensor.h"

namespace linnet {

/// saturate(round(value) + zero_point) as element i of an int8 or uint8 tensor; ties to even, NaN becomes the least.
inline void store_rounded(Tensor& y, int64_t i, double value, int32_t zero_point) {
  const bool is_signed = y.dtype() == DType::kInt8;
  const double least = (is_signed ? -128 : 0) - zero_point, greatest = (is_signed ? 127 : 255) - zero_point;
  // The bounds are integers, so they may be applied first; adding 1.5 * 2^52 then leaves no bit for the fraction.
  const double bounded = value > least ? std::min(value, greatest) : least;
  const double rounded = (bounded + 0x1.8p52) - 0x1.8p52;
  static_cast<uint8_t*>(y.raw())[i] = uint8_t(int32_t(rounded) + zero_point);
}

}  // namespace linnet
