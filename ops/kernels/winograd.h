#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// Where the outputs of a tile go: those of the first `rows` rows and `columns` columns of it are stored.
struct WinogradOutput {
  int rows = 0, columns = 0;
  int64_t channels = 0;
  float* y = nullptr;        ///< the first channel of the first pixel
  int64_t row_pitch = 0;     ///< floats from a row of the tile's pixels to the next
  int64_t column_pitch = 0;  ///< floats from a pixel to the next in a row
  Epilogue epilogue{};       ///< bias and residual begin at y; the residual's pixels lie as those of y
};

/// The outputs that are computed together along the axes of an image: windows have 3 taps along an axis of 2 to 4
/// outputs, 2 taps along one of 5. An axis of one output is not transformed, its windows have one tap.
struct WinogradTile {
  int rows = 4, columns = 4;

  static constexpr int taps(int outputs) { return outputs == 1 ? 1 : outputs == 5 ? 2 : 3; }
  static constexpr int inputs(int outputs) { return outputs + taps(outputs) - 1; }
  constexpr int row_taps() const { return taps(rows); }
  constexpr int column_taps() const { return taps(columns); }
  constexpr int input_rows() const { return inputs(rows); }
  constexpr int input_columns() const { return inputs(columns); }
  /// Inputs, and as many products of each input channel by each output channel.
  constexpr int elements() const { return input_rows() * input_columns(); }
};

/// The transforms of Winograd's minimal filtering F(m x n, r x s), for m x n outputs of a convolution by windows of r x
/// s taps: y = A^T [(G g G^T) . (B^T x B)] A, where "." is a product over the input channels for each element. The
/// interpolation points of an axis are 0, 1, -1 and infinity for 2 outputs, 0, 1, -1, 1/2 and infinity for 3, and 0,
/// +-1/sqrt(2), +-sqrt(2) and infinity for 4 and 5.
/// Source: A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308; the points: B.
/// Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd Convolution for DNNs", arXiv:1803.10986.
struct WinogradTransforms {
  /// Writes element e of pixel channels c to v[e * v_pitch + c]. pixels: pointers to `channels` floats, row by row. v
  /// has room for whole vectors. next: the pixels that are transformed after these, asked for meanwhile.
  void (*input)(const float* const* pixels, const float* const* next, int64_t channels, float* v, int64_t v_pitch);
  /// Of the products m[e * m_pitch + c], which can be read as whole vectors.
  void (*output)(const float* m, int64_t m_pitch, const WinogradOutput& output);
  /// `count` filters at a time: tap t of filter j at g[t][j], element e at u[e * u_pitch + j]. count is a multiple of
  /// the vector's length. Computed in double precision and rounded once.
  void (*filter)(const float* const* g, int64_t count, float* u, int64_t u_pitch);
};

/// F(m x m, 3 x 3) of bytes, exact, for m = 2 or 4: with filters transformed by whole numbers, products are a multiple
/// of the sums, 4 times those of m = 2, 576 times those of m = 4 (of which 9 is divided by modulo 2^32). They may wrap
/// modulo 2^32 as long as 4 and 64 times each sum do not.
struct WinogradByteTransforms {
  /// Writes element e of pixel channels c, less `zero`, to v[e * v_pitch + c]. pixels: (m + 2)^2 pointers to `channels`
  /// bytes. v has room for whole vectors.
  void (*input)(const uint8_t* const* pixels, int64_t channels, int32_t zero, int16_t* v, int64_t v_pitch);
  /// Writes the sums of pixel j of row i of the tile to y[i * y_pitch + j * channels + c], from the products
  /// m[e * m_pitch + c], which can be read as whole vectors; adds bias[c] unless that is null.
  void (*output)(const int32_t* m, int64_t m_pitch, int64_t channels, const int32_t* bias, int32_t* y, int64_t y_pitch);
};

struct WinogradKernels {
  /// Of 2 to 5 outputs along both axes, along a row, along a column.
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
