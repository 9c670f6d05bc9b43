#pragma once

#include <cstdint>

namespace linnet {

/// A channels-last image that is sampled. It has at most 2^24 rows and columns and fewer than 2^31 pixels.
struct DeformImage {
  const float* pixels = nullptr;  ///< the first of the sampled channels of pixel (0, 0)
  int64_t height = 0, width = 0;
  int64_t pixel_pitch = 0;       ///< distance in floats from one pixel to the next
  const float* zeros = nullptr;  ///< a pixel outside: as many zeros as channels are sampled
};

/// Where the taps of one output pixel's window sample the image. Tap t is at (y + tap_y[t], x + tap_x[t]) + offset[t],
/// and its sample is multiplied by mask[t].
struct DeformWindow {
  float y = 0, x = 0;
  const float* tap_y = nullptr;
  const float* tap_x = nullptr;
  const float* offset = nullptr;  ///< (y, x) per tap
  const float* mask = nullptr;    ///< null: all 1
  bool sigmoid = false;           ///< whether the sigmoid of the mask is the factor
  int64_t taps = 0;
};

struct DeformKernels {
  /// Samples `channels` contiguous channels bilinearly. column + t * column_pitch receives tap t. Neighbours outside
  /// the image count as zero. A point at or beyond one pixel outside gives zero; NaN gives NaN.
  /// Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html
  /// Source: torchvision's deform_conv2d.
  void (*sample_f32)(const DeformImage& image, const DeformWindow& window, int64_t channels, float* column,
                     int64_t column_pitch);
};

}  // namespace linnet
