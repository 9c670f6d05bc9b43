#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"

namespace linnet {

/// The mapping of floats in a range that includes 0 to integers in [0, 255], rounded as by DynamicQuantizeLinear.
struct DynamicGrid {
  explicit DynamicGrid(const FloatRange& range) : scale((range.greatest - range.least) / 255) {
    if (scale == 0) scale = 1;
    const float quotient = std::nearbyint(-range.least / scale);
    zero = quotient > 0 ? uint8_t(std::min(quotient, 255.0f)) : uint8_t{0};
  }

  void quantize(const QuantizeKernels& kernels, const float* x, uint8_t* y, int64_t n) const {
    kernels.u8.quantize(x, y, n, scale, zero);
  }

  float scale;  ///< 1 if all floats are 0, as in ONNX Runtime.
  uint8_t zero;
};

}  // namespace linnet
