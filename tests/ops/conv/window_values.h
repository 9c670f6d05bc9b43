#pragma once

#include "conv/conv_geometry.h"
#include "support/guarded_floats.h"

namespace linnet::testing {

/// The value outside of an image.
inline constexpr uint8_t kPadding = 7;

inline ConvAxis window_axis(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad_begin,
                            int64_t pad_end) {
  ConvAxis result{in, 0, kernel, stride, dilation, pad_begin};
  result.out = (in + pad_begin + pad_end - result.extent()) / stride + 1;
  return result;
}

/// Returns the value at position (y, x) of the window of output pixel `row`, in channel c.
template <class T>
T window_value(const ConvGeometry& g, const Guarded<T>& image, int64_t row, int64_t y, int64_t x, int64_t c) {
  const auto& [depth, height, width] = g.axes;
  const int64_t line = row / width.out, n = line / height.out;
  const int64_t from_y = line % height.out * height.stride - height.pad_begin + y * height.dilation;
  const int64_t from_x = row % width.out * width.stride - width.pad_begin + x * width.dilation;
  if (from_y < 0 || from_y >= height.in || from_x < 0 || from_x >= width.in) return T{kPadding};
  return image[((n * height.in + from_y) * width.in + from_x) * g.in_channels + c];
}

}  // namespace linnet::testing
