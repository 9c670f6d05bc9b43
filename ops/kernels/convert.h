#pragma once

#include <cstdint>

#include "linnet/half.h"

namespace linnet {

/// y[i] = x[i] for i < n in another float type, rounded to the nearest, ties to even. Results are bit-identical to the
/// conversions of linnet/half.h. x and y do not overlap.
struct ConvertKernels {
  void (*float_of_half)(const Half* x, float* y, int64_t n);
  void (*half_of_float)(const float* x, Half* y, int64_t n);
  void (*float_of_bfloat16)(const BFloat16* x, float* y, int64_t n);
  void (*bfloat16_of_float)(const float* x, BFloat16* y, int64_t n);
};

}  // namespace linnet
