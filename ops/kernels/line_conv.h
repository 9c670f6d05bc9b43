#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// One output row of a convolution with few input channels: y[p][o] = epilogue(sum over lines l, k < width of
/// lines[l][p * stride + k] * w[l][k][o]). The lines are input rows of single channels with their padding, so no window
/// reaches over an edge.
struct LineConv {
  const float* const* lines = nullptr;
  int64_t num_lines = 0;
  int64_t width = 0;         ///< width of the window
  int64_t stride = 1;        ///< 1 or 2
  int64_t pixels = 0;        ///< pixels of the row, at least LineConvKernels::tile_pixels
  int64_t columns = 0;       ///< output channels
  const float* w = nullptr;  ///< panels [line][width][panel_columns]; columns beyond the last are zero
  float* y = nullptr;        ///< [pixels, columns]
  Epilogue epilogue{};       ///< without a residual
};

struct LineConvKernels {
  int tile_pixels;
  int panel_columns;
  void (*row)(const LineConv& row);
};

}  // namespace linnet
