#pragma once

#include <vector>

#include "conv/conv_geometry.h"

namespace linnet {

/// The outputs of a 3x3 convolution of stride 1 over channels-last data, divided into tiles of m x m that are computed
/// from n x n inputs, n = m + 2. With a dilation d, a tile's outputs lie d apart, and so do its inputs: each of the
/// d * d phases is an ordinary convolution.
class WinogradTiles {
 public:
  struct Outputs {
    int64_t first;      ///< index of the first pixel of the output
    int rows, columns;  ///< that lie in the image
  };

  WinogradTiles() = default;
  WinogradTiles(const ConvGeometry& geometry, int outputs);

  int outputs() const { return outputs_; }
  int inputs() const { return outputs_ + 2; }
  int64_t count() const { return images_ * int64_t(rows_.size() * columns_.size()); }
  /// Output pixels from one row or column of a tile to the next.
  int64_t row_pitch() const { return height_.dilation * width_.out; }
  int64_t column_pitch() const { return width_.dilation; }
  /// Writes the addresses of the tile's inputs, row by row; those outside the image are `zeros`.
  template <class T>
  void inputs(int64_t tile, const T* x, const T* zeros, const T** pixels) const;
  Outputs outputs(int64_t tile) const;

 private:
  struct Span {
    int64_t first;  // output of an axis
    int count;
  };
  struct Position {
    int64_t image;
    Span row, column;
  };
  static std::vector<Span> spans(const ConvAxis& axis, int outputs);
  Position position(int64_t tile) const;

  int outputs_ = 0;
  int64_t images_ = 0, channels_ = 0;
  ConvAxis height_, width_;
  std::vector<Span> rows_, columns_;
};

}  // namespace linnet
