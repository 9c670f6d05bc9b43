#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// A depthwise convolution, channels-last: x [batch,in...,channels] to y [batch,out...,channels], one filter per
/// channel. Spatial axes are (depth, height, width); missing outer ones have extent, kernel and stride 1.
struct DepthwiseShape {
  int64_t batch = 1, channels = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t pad_begin[3] = {0, 0, 0};  ///< the padding behind follows from `out`

  /// Output rows, the unit of parallel work: batch * out[0] * out[1].
  int64_t rows() const { return batch * out[0] * out[1]; }
};

struct DepthwiseKernels {
  /// Output rows [first_row, last_row). w: [kernel taps, channels] (taps in row-major order). The epilogue's bias has
  /// `channels` values; its residual is laid out like y (the pitch is that of a pixel). x, y: whole tensors.
  void (*rows_f32)(const DepthwiseShape& shape, const float* x, const float* w, const Epilogue& epilogue, float* y,
                   int64_t first_row, int64_t last_row);
};

/// Reorders weights [channels, taps] (as in ONNX, [C,1,k...]) to [taps, channels].
inline void pack_depthwise_weights(const float* w, int64_t channels, int64_t taps, float* packed) {
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < channels; ++c) packed[t * channels + c] = w[c * taps + t];
  }
}

}  // namespace linnet
