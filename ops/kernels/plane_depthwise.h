#pragma once

#include <cstdint>

namespace linnet {

/// The windows of a convolution on planes, where a pixel is one float. A line of input is stored as `stride` phases,
/// `pitch` floats apart. Phase f consists of elements f, f + stride, f + 2 stride... of the line with its padding.
struct PlaneWindows {
  int64_t in = 0, out = 0;  ///< pixels of a line and of an output row
  int64_t pad = 0;          ///< distance from the start of the first window to the start of the line
  int64_t kernel = 1, stride = 1, dilation = 1;                   ///< along the width
  int64_t kernel_height = 1, line_stride = 1, line_dilation = 1;  ///< along the height
  int64_t pitch = 0;
  int64_t line_floats = 0;  ///< stride * pitch

  /// Returns the size of square windows whose output rows share what kernels load, or 0.
  [[gnu::always_inline]] int64_t sharing_square() const {
    if (kernel != kernel_height || stride != line_stride || dilation != 1 || line_dilation != 1) return 0;
    const bool known = kernel == 3 || kernel == 5 || (kernel == 7 && stride == 1);
    return known && stride <= 2 ? kernel : 0;
  }

  /// The number of floats of a phase that kernels may read after the last window.
  static constexpr int64_t kTouched = 32;
};

/// Some output rows of one filter.
struct PlaneFilter {
  /// Kernel row k of output row r reads lines[r * line_stride + k * line_dilation].
  const float* const* lines = nullptr;
  int64_t rows = 0;
  const float* w = nullptr;  ///< [kernel_height][kernel]
  float bias = 0, low = 0, high = 0;
  float* y = nullptr;  ///< [rows][out]
};

struct PlaneDepthwiseKernels {
  int tile_rows;  ///< the least output rows that share what is loaded
  /// Writes x [lines][in] to the phases of lines. Padding is not written.
  void (*split)(const PlaneWindows& windows, const float* x, int64_t lines, float* to);
  /// Computes y = min(high, max(low, bias + sum)). The sum over (kernel row, kernel column) is taken in ascending order
  /// for every element.
  void (*rows)(const PlaneWindows& windows, const PlaneFilter& filter);
};

}  // namespace linnet
