#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// Conversions between float32 and integers of one type. x and y do not overlap. Zero points are integers of the type.
struct GridKernels {
  /// y[i] = saturate(round(x[i] / scale) + zero_point), ties to even. NaN becomes the least integer. Not for int32.
  void (*quantize)(const float* x, void* y, int64_t n, float scale, float zero_point);
  /// y[i] = (x[i] - zero_point) * scale. The difference is exact or rounded once.
  void (*dequantize)(const void* x, float* y, int64_t n, float scale, float zero_point);
  /// The same with scale[i / block] and zero_points[i / block] for element i. zero_points: nullptr where all are 0.
  void (*quantize_blocks)(const float* x, void* y, int64_t n, int64_t block, const float* scale,
                          const void* zero_points);
  void (*dequantize_blocks)(const void* x, float* y, int64_t n, int64_t block, const float* scale,
                            const void* zero_points);
};

/// The least and the greatest value of some floats.
struct FloatRange {
  float least = 0, greatest = 0;
};

struct QuantizeKernels {
  GridKernels u8, s8, u16, s16, s32;
  /// Extends a range by n floats. NaN is skipped.
  void (*extend_range)(const float* x, int64_t n, FloatRange* range);

  /// Returns the kernels for uint8 or int8.
  const GridKernels& of(DType dtype) const { return dtype == DType::kInt8 ? s8 : u8; }
  /// Returns the kernels for an integer type, or nullptr for other types.
  const GridKernels* grid(DType dtype) const;
};

}  // namespace linnet
