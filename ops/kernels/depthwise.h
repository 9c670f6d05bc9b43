#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// One output row of a depthwise convolution (one filter per channel), channels-last. A pitch is the number of floats
/// from one pixel or tap to the next.
struct DepthwiseRow {
  int64_t channels = 0;
  int64_t in = 0, out = 0;  ///< pixels of an input line and of the row
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0;

  int lines = 0;                    ///< kernel rows that overlap the image
  const float* const* x = nullptr;  ///< the input line of each kernel row
  const float* const* w = nullptr;  ///< the first tap of each kernel row
  float* y = nullptr;
  int64_t x_pitch = 0, w_pitch = 0, y_pitch = 0;
  Epilogue epilogue{};  ///< bias and residual begin at this row
};

struct DepthwiseKernels {
  void (*row_f32)(const DepthwiseRow& row);
};

/// Reorders weights [channels, taps] (as in ONNX, [C,1,k...]) to [taps, channels].
inline void pack_depthwise_weights(const float* w, int64_t channels, int64_t taps, float* packed) {
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < channels; ++c) packed[t * channels + c] = w[c * taps + t];
  }
}

}  // namespace linnet
