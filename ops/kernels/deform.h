#pragma once

#include <cstdint>

namespace linnet {

/// Where one output pixel's kernel tap samples an image of height x width pixels.
struct DeformSample {
  float y, x;    ///< in pixels of the unpadded image
  float weight;  ///< the modulation mask, 1 without
};

struct DeformKernels {
  /// Bilinear samples of `channels` contiguous channels at each of `count` points: column + i * column_pitch receives
  /// point i. image points at the first of these channels of pixel (0, 0); pixels lie pixel_pitch floats apart.
  /// Neighbours outside the image count as zero; a point at or beyond one pixel outside gives zero, NaN gives NaN.
  /// Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html, torchvision's deform_conv2d.
  void (*sample_f32)(const float* image, int64_t height, int64_t width, int64_t pixel_pitch, int64_t channels,
                     const DeformSample* points, int64_t count, float* column, int64_t column_pitch);
};

}  // namespace linnet
