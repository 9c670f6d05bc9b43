#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// The scales and zero points of two operands and of the result.
struct BytePair {
  float a_scale, a_zero_point, b_scale, b_zero_point, y_scale, y_zero_point;
};

/// y[i] = a[i] + b[i] and y[i] = a[i] * b[i] on dequantised floats, which are quantised again. Results are
/// bit-identical to that. y may be a or b.
struct PairKernels {
  void (*add)(const void* a, const void* b, void* y, int64_t n, const BytePair& pair);
  void (*mul)(const void* a, const void* b, void* y, int64_t n, const BytePair& pair);
};

struct BytePairKernels {
  PairKernels u8, s8;

  /// Returns the kernels for uint8 or int8.
  const PairKernels& of(DType dtype) const { return dtype == DType::kInt8 ? s8 : u8; }
};

}  // namespace linnet
