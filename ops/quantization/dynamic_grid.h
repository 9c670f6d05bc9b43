#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"

namespace linnet {

/// The integers [0, 255] onto which floats of one range, 0 among them, are rounded as DynamicQuantizeLinear does it.
struct DynamicGrid {
  explicit DynamicGrid(const FloatRange& range) : scale((range.greatest - range.least) / 255) {
    const float quotient = scale > 0 ? std::nearbyint(-range.least / scale) : 0;
    zero = quotient > 0 ? uint8_t(std::min(quotient, 255.0f)) : uint8_t{0};
  }

  void quantize(const QuantizeKernels& kernels, const float* x, uint8_t* y, int64_t n) const {
    if (scale > 0) return kernels.u8.quantize(x, y, n, scale, zero);
    std::fill_n(y, n, uint8_t{0});
  }

  float scale;  ///< 0 where all are 0
  uint8_t zero;
};

}  // namespace linnet
