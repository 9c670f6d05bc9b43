#pragma once

#include "conv/conv_geometry.h"
#include "kernels/depthwise.h"
#include "partition/parts.h"

namespace linnet {

/// A number of chunks that is enough to divide a depthwise convolution. Adjacent rows share input rows, so larger
/// chunks are better than more chunks.
inline constexpr int64_t kDepthwiseChunks = 8;

/// Returns the job of a row with what all rows of a depthwise convolution of `channels` channels share.
inline DepthwiseRow depthwise_row(const ConvAxis& width, int64_t channels) {
  DepthwiseRow row;
  row.channels = channels;
  row.in = width.in;
  row.out = width.out;
  row.kernel = width.kernel;
  row.stride = width.stride;
  row.dilation = width.dilation;
  row.pad_begin = width.pad_begin;
  row.x_pitch = row.w_pitch = row.y_pitch = channels;
  return row;
}

/// Whether the windows of adjacent output rows share input lines, so that set_lines() can take two rows.
inline bool rows_share_lines(const ConvAxis& height) { return height.stride < height.kernel && height.dilation == 1; }

/// The number of pointers that set_lines() needs room for.
inline int64_t line_pointers(const ConvGeometry& g) {
  const ConvAxis& height = g.axes[1];
  const int64_t reached = rows_share_lines(height) ? checked_add(height.kernel, height.stride) : height.kernel;
  return checked_mul(checked_mul(3, g.axes[0].kernel), reached);
}

/// Makes `row` point to the kernel rows that overlap the image at output row `out_row`, in ascending order, and with
/// `pair` those of the next output row, too. line_at(i) returns the address of input line i. w: [taps][row.w_pitch].
/// pair: rows_share_lines().
template <class LineAt>
void set_lines(const ConvGeometry& g, int64_t out_row, bool pair, const float* w, const LineAt& line_at,
               const float** pointers, DepthwiseRow& row) {
  const ConvAxis &depth = g.axes[0], &height = g.axes[1];
  const int64_t reached = height.kernel + (pair ? height.stride : 0);
  const float **weights = pointers + depth.kernel * reached, **next = weights + depth.kernel * reached;
  row.x = pointers;
  row.w = weights;
  row.w_next = pair ? next : nullptr;
  row.lines = 0;
  for (int64_t i = 0; i < depth.kernel; ++i) {
    const int64_t d = out_row / height.out * depth.stride - depth.pad_begin + i * depth.dilation;
    if (d < 0 || d >= depth.in) continue;
    const auto weights_of = [&](int64_t j) { return w + (i * height.kernel + j) * row.kernel * row.w_pitch; };
    for (int64_t j = 0; j < reached; ++j) {
      const int64_t h = out_row % height.out * height.stride - height.pad_begin + j * height.dilation;
      if (h < 0 || h >= height.in) continue;
      pointers[row.lines] = line_at(d * height.in + h);
      weights[row.lines] = j < height.kernel ? weights_of(j) : nullptr;
      if (pair) next[row.lines] = j >= height.stride ? weights_of(j - height.stride) : nullptr;
      ++row.lines;
    }
  }
}

/// Computes output lines, counted through all images, of x [N, ..., channels] with w [taps][channels]. row: the
/// destination and the epilogue of the first one. pointers: room for line_pointers().
inline void run_depthwise_lines(const DepthwiseKernels& kernels, const ConvGeometry& g, const float* x, const float* w,
                                const Span& lines, const float** pointers, DepthwiseRow row) {
  const ConvAxis& height = g.axes[1];
  const int64_t image_lines = g.axes[0].out * height.out, line_floats = g.axes[2].in * g.in_channels;
  const bool pairs = rows_share_lines(height) && kernels.takes_pairs(row);
  for (int64_t line = lines.begin; line < lines.end;) {
    const bool pair = pairs && line + 1 < lines.end && (line + 1) % height.out != 0;
    const float* image = x + line / image_lines * g.in_pixels() * g.in_channels;
    const auto line_at = [&](int64_t i) { return image + i * line_floats; };
    set_lines(g, line % image_lines, pair, w, line_at, pointers, row);
    kernels.row_f32(row);
    const int64_t done = pair ? 2 : 1;
    line += done;
    row.y += done * row.out * row.y_pitch;
    row.epilogue = row.epilogue.at(done * row.out, 0);
  }
}

}  // namespace linnet
