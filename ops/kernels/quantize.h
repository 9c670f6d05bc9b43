#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// Scales and zero points of two operands and of what is computed from them.
struct BytePair {
  float a_scale, a_zero_point, b_scale, b_zero_point, y_scale, y_zero_point;
};

/// Between float32 and integers of one type; x and y do not overlap. Zero points are integers of the type.
struct GridKernels {
  /// y[i] = saturate(round(x[i] / scale) + zero_point), ties to even; NaN becomes the least integer. Not for int32.
  void (*quantize)(const float* x, void* y, int64_t n, float scale, float zero_point);
  /// y[i] = (x[i] - zero_point) * scale; the difference is exact, or rounded once.
  void (*dequantize)(const void* x, float* y, int64_t n, float scale, float zero_point);
  /// The same with scale[i / block] and zero_points[i / block] for element i; zero_points: nullptr where all are 0.
  void (*quantize_blocks)(const float* x, void* y, int64_t n, int64_t block, const float* scale,
                          const void* zero_points);
  void (*dequantize_blocks)(const void* x, float* y, int64_t n, int64_t block, const float* scale,
                            const void* zero_points);
};

/// Those of uint8 or int8.
struct ByteKernels : GridKernels {
  /// y[i] = a[i] + b[i], and a[i] * b[i]: of dequantised floats, which are quantised again, bit for bit. y may be a or
  /// b.
  void (*add)(const void* a, const void* b, void* y, int64_t n, const BytePair& pair);
  void (*mul)(const void* a, const void* b, void* y, int64_t n, const BytePair& pair);
};

/// The least and the greatest of some floats.
struct FloatRange {
  float least = 0, greatest = 0;
};

struct QuantizeKernels {
  ByteKernels u8, s8;
  GridKernels u16, s16, s32;
  /// Extends a range by n floats; NaN is left out.
  void (*extend_range)(const float* x, int64_t n, FloatRange* range);
  /// y[i] = table[x[i]]; x == y is allowed.
  void (*look_up)(const uint8_t* x, const uint8_t* table, uint8_t* y, int64_t n);
  /// sums[i] = the sum of row i of x, of n bytes each, one after the other.
  void (*sum_rows)(const uint8_t* x, int64_t rows, int64_t n, int32_t* sums);
  /// y[i] = (x[i] ^ flip) - zero.
  void (*widen)(const uint8_t* x, int64_t n, uint8_t flip, int16_t zero, int16_t* y);

  const ByteKernels& of(DType dtype) const { return dtype == DType::kInt8 ? s8 : u8; }
  /// nullptr for other types.
  const GridKernels* grid(DType dtype) const;
};

}  // namespace linnet
