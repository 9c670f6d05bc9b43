#pragma once

#include <vector>

#include "conv/conv_geometry.h"
#include "gemm/packed_gemm.h"

namespace linnet {

/// The windows of a convolution over channels-last data, as the rows of a matrix product without a copy: row r is the
/// window of output pixel r (of all images), tap t one position of it, and its values that position's channels.
/// Positions in the padding are a line of zeros, as long as those of all groups. With few channels the positions along
/// the width, which then lie next to each other, form one tap; windows that reach over a side edge are copied.
class ConvWindows {
 public:
  ConvWindows() = default;
  explicit ConvWindows(const ConvGeometry& geometry);

  int64_t taps() const { return int64_t(offsets_.size()); }
  int64_t depth() const { return depth_; }
  /// Scratch for a tile of so many rows.
  size_t scratch_bytes(int tile_rows) const;

 private:
  friend class WindowRows;

  struct Offset {
    int64_t z, y, x;  // of the tap within the window, in pixels
    int64_t floats;   // the same in memory
  };

  /// The outputs of an axis whose windows lie in the input.
  struct Inside {
    explicit Inside(const ConvAxis& axis);
    int64_t begin, end;
  };

  ConvGeometry geometry_;
  Inside columns_{ConvAxis()};
  int64_t span_ = 1;  // pixels of a tap
  int64_t depth_ = 0;
  std::vector<Offset> offsets_;
  std::vector<float> zeros_;
};

/// The windows of one group of channels over x, which points at the group's first channel of the first pixel.
class WindowRows final : public RowSource {
 public:
  WindowRows(const ConvWindows& windows, const float* x) : windows_(windows), x_(x) {}
  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override;
  const float* zeros() const override { return windows_.zeros_.data(); }

 private:
  struct Corner {
    int64_t n, z, y, x;  // of the window's first position
  };
  Corner corner(int64_t row) const;
  /// Whether that is so of a window along the axes but the width.
  bool line_inside(const Corner& corner) const;
  float* window(const RowBlock& block, const Corner& corner, int row, const float** pointers, float* copy) const;
  const float* tap(const Corner& corner, const ConvWindows::Offset& offset, float* copy) const;

  const ConvWindows& windows_;
  const float* x_;
};

}  // namespace linnet
