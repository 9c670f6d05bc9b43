#pragma once

#include <cstdint>

namespace linnet {

/// A channels-last image that is sampled, of at most 2^24 rows and columns and less than 2^31 pixels.
struct DeformImage {
  const float* pixels = nullptr;  ///< the first of the sampled channels of pixel (0, 0)
  int64_t height = 0, width = 0;
  int64_t pixel_pitch = 0;       ///< floats from one pixel to the next
  const float* zeros = nullptr;  ///< as many as channels are sampled: a pixel outside
};

/// Where taps of one output pixel's window sample the image: tap t at (y + tap_y[t], x + tap_x[t]) + offset[t], times
/// mask[t].
struct DeformWindow {
  float y = 0, x = 0;
  const float* tap_y = nullptr;
  const float* tap_x = nullptr;
  const float* offset = nullptr;  ///< (y, x) per tap
  const float* mask = nullptr;    ///< 1 where null
  bool sigmoid = false;           ///< the sigmoid of the mask is meant
  int64_t taps = 0;
};

struct DeformKernels {
  /// Bilinear samples of `channels` contiguous channels: column + t * column_pitch receives tap t.
  /// Neighbours outside the image count as zero; a point at or beyond one pixel outside gives zero, NaN gives NaN.
  /// Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html, torchvision's deform_conv2d.
  void (*sample_f32)(const DeformImage& image, const DeformWindow& window, int64_t channels, float* column,
                     int64_t column_pitch);
};

}  // namespace linnet
