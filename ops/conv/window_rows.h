#pragma once

#include <vector>

#include "conv/conv_geometry.h"
#include "gemm/rows.h"

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
  /// Scratch for a row of values of so many bytes.
  size_t scratch_bytes(size_t value_bytes) const;

 private:
  template <class T>
  friend class WindowRows;

  struct Offset {
    int64_t z, y, x;  // of the tap within the window, in pixels
    int64_t values;   // the same in memory
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
  std::vector<double> zeros_;  // as many as values of any type
};

/// The windows of one group of channels over x, which points at the group's first channel of the first pixel.
template <class T>
class WindowRows final : public RowSource<T> {
 public:
  WindowRows(const ConvWindows& windows, const T* x) : windows_(windows), x_(x) {}
  void rows(const RowBlock& block, const T** pointers, std::byte* scratch) const override;
  const T* zeros() const override { return reinterpret_cast<const T*>(windows_.zeros_.data()); }

 private:
  /// A window's first position, in image n.
  struct Corner {
    int64_t n, z, y, x;
  };
  /// Where the addresses of a window's taps go, and the room for copies of taps that reach over an edge.
  struct Target {
    const T** pointers;
    int64_t pitch;  // from one tap's address to the next
    T* copies;
  };

  Corner corner(int64_t row) const;
  /// How many windows from this one on, at most `most`, lie in the image one after the other.
  int inside(const Corner& corner, int most) const;
  /// The addresses of the taps of `count` such windows.
  void address_inside(const RowBlock& block, const Corner& corner, int count, const Target& target) const;
  /// Those of one window that may reach over edges; returns the room that is left for copies.
  T* address_window(const RowBlock& block, const Corner& corner, const Target& target) const;
  const T* tap(const Corner& corner, const ConvWindows::Offset& offset, T* copy) const;

  const ConvWindows& windows_;
  const T* x_;
};

}  // namespace linnet
