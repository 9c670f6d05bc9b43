#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"

namespace linnet {

/// The integers [0, 255] onto which floats of one range, 0 among them, are rounded as DynamicQuantizeLinear does it.
struct DynamicGrid {
  explicit DynamicGrid(const FloatRange& range) : scale((range.greatest - range.least) / 255) {
    if (scale == 0) scale = 1;
    const float quotient = std::nearbyint(-range.least / scale);
    zero = quotient > 0 ? uint8_t(std::min(quotient, 255.0f)) : uint8_t{0};
  }

  void quantize(const QuantizeKernels& kernels, const float* x, uint8_t* y, int64_t n) const {
    kernels.u8.quantize(x, y, n, scale, zero);
  }

  float scale;  ///< 1 where all are 0, as ONNX Runtime has it
  uint8_t zero;
};

}  // namespace linnet
