#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// The destination of the outputs of a tile. Its first `rows` rows and `columns` columns are stored.
struct WinogradOutput {
  int rows = 0, columns = 0;
  int64_t channels = 0;
  float* y = nullptr;        ///< the first channel of the first pixel
  int64_t row_pitch = 0;     ///< distance in floats from one row of the tile's pixels to the next
  int64_t column_pitch = 0;  ///< distance in floats from one pixel of a row to the next
  Epilogue epilogue{};       ///< bias and residual begin at y; the residual has the layout of y
};

/// The number of outputs that are computed together along the axes of an image. Windows have 3 taps along an axis of 2
/// to 4 outputs, and 2 taps along an axis of 5. An axis of one output is not transformed; its windows have one tap.
struct WinogradTile {
  int rows = 4, columns = 4;

  static constexpr int taps(int outputs) { return outputs == 1 ? 1 : outputs == 5 ? 2 : 3; }
  static constexpr int inputs(int outputs) { return outputs + taps(outputs) - 1; }
  constexpr int row_taps() const { return taps(rows); }
  constexpr int column_taps() const { return taps(columns); }
  constexpr int input_rows() const { return inputs(rows); }
  constexpr int input_columns() const { return inputs(columns); }
  /// The number of inputs. It is also the number of products of each input channel by each output channel.
  constexpr int elements() const { return input_rows() * input_columns(); }
};

/// The transforms of Winograd's minimal filtering F(m x n, r x s), for m x n outputs of a convolution by windows of r x
/// s taps: y = A^T [(G g G^T) . (B^T x B)] A, where "." is a product over the input channels for each element. The
/// interpolation points of an axis are 0, 1, -1 and infinity for 2 outputs, 0, 1, -1, 1/2 and infinity for 3, and 0,
/// +-1/sqrt(2), +-sqrt(2) and infinity for 4 and 5.
/// Source: A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308.
/// Source of the points: B. Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd Convolution for
/// DNNs", arXiv:1803.10986.
struct WinogradTransforms {
  /// Writes element e of pixel channels c to v[e * v_pitch + c]. pixels: pointers to `channels` floats, row by row. v
  /// has room for whole vectors. next: the pixels that are transformed after these, which are prefetched.
  void (*input)(const float* const* pixels, const float* const* next, int64_t channels, float* v, int64_t v_pitch);
  /// Computes outputs from the products m[e * m_pitch + c], which can be read as whole vectors.
  void (*output)(const float* m, int64_t m_pitch, const WinogradOutput& output);
  /// Transforms `count` filters. Tap t of filter j is g[t][j], and element e is written to u[e * u_pitch + j]. count is
  /// a multiple of the vector's length. The transform is computed in double precision and rounded once.
  void (*filter)(const float* const* g, int64_t count, float* u, int64_t u_pitch);
};

/// F(m x m, 3 x 3) of bytes, which is exact, for m = 2 or 4. Filters are transformed by whole numbers, so results are a
/// multiple of the sums: 4 times for m = 2, and 576 times for m = 4 (9 of which is divided out modulo 2^32). Values may
/// wrap modulo 2^32 as long as 4 times and 64 times each sum, respectively, do not.
struct WinogradByteTransforms {
  /// Writes element e of pixel channels c, less `zero`, to v[e * v_pitch + c]. pixels: (m + 2)^2 pointers to `channels`
  /// bytes. v has room for whole vectors.
  void (*input)(const uint8_t* const* pixels, int64_t channels, int32_t zero, int16_t* v, int64_t v_pitch);
  /// Writes the sums of pixel j of row i of the tile to y[i * y_pitch + j * channels + c], from the products m[e *
  /// m_pitch + c], which can be read as whole vectors. Adds bias[c] unless bias is null.
  void (*output)(const int32_t* m, int64_t m_pitch, int64_t channels, const int32_t* bias, int32_t* y, int64_t y_pitch);
};

struct WinogradKernels {
  /// For 2 to 5 outputs along both axes, along a row, along a column.
  WinogradTransforms squares[4], rows[4], columns[4];
  WinogradByteTransforms bytes2, bytes4;

  const WinogradTransforms& of(const WinogradTile& tile) const {
    return tile.rows == 1      ? rows[tile.columns - 2]
           : tile.columns == 1 ? columns[tile.rows - 2]
                               : squares[tile.rows - 2];
  }
  const WinogradByteTransforms& of_bytes(int outputs) const { return outputs == 2 ? bytes2 : bytes4; }
};

}  // namespace linnet
