#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// One output row of a depthwise convolution (one filter per channel), or two adjacent ones, channels-last. A pitch is
/// the number of floats from one pixel or tap to the next.
struct DepthwiseRow {
  int64_t channels = 0;
  int64_t in = 0, out = 0;  ///< pixels of an input line and of the row
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0;

  int lines = 0;                    ///< kernel rows that overlap the image
  const float* const* x = nullptr;  ///< the input line of each kernel row
  const float* const* w = nullptr;  ///< the first tap of each kernel row
  /// If not null, the next output row is computed, too, with its first tap for each of the lines. Its pixels follow
  /// those of the first row in y and the residual. w and w_next are null for lines that are not in the windows of their
  /// row.
  const float* const* w_next = nullptr;
  float* y = nullptr;
  int64_t x_pitch = 0, w_pitch = 0, y_pitch = 0;
  Epilogue epilogue{};  ///< bias and residual begin at this row
};

struct DepthwiseKernels {
  /// Whether row_f32 computes two rows of these sizes faster than one after the other, and takes DepthwiseRow::w_next.
  bool (*takes_pairs)(const DepthwiseRow& row);
  void (*row_f32)(const DepthwiseRow& row);
};

/// Reorders weights [channels, taps] (as in ONNX, [C,1,k...]) to [taps, channels].
inline void pack_depthwise_weights(const float* w, int64_t channels, int64_t taps, float* packed) {
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < channels; ++c) packed[t * channels + c] = w[c * taps + t];
  }
}

}  // namespace linnet
