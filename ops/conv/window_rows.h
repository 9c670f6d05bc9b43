#pragma once

#include "conv/conv_geometry.h"
#include "gemm/rows.h"
#include "gemm/weights.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The windows of a convolution over channels-last data, as the rows of a matrix product, without a copy. Row r is the
/// window of output pixel r (of all images), and tap t is one position of it, whose values are that position's
/// channels. Positions in the padding point to a line of zeros that holds at least the channels of all groups.
/// With few channels the positions along the width, which are then contiguous, form one tap. Windows that reach over a
/// side edge are copied.
class ConvWindows {
 public:
  ConvWindows() = default;
  explicit ConvWindows(const ConvGeometry& geometry);

  int64_t taps() const { return int64_t(offsets_.size()); }
  int64_t depth() const { return depth_; }
  /// Whether positions along the width form one tap.
  bool merges_columns() const { return span_ > 1; }
  /// Returns the weights of a group (conv_matrices), with the positions along the width merged where they form one tap.
  template <class T>
  GemmWeights<T> merged(GemmWeights<T> w) const {
    if (span_ == 1) return w;
    w.run = w.depth;
    w.run_stride = w.tap_stride;
    w.tap_stride = checked_mul(span_, w.tap_stride);
    w.taps = taps();
    w.depth = depth_;
    return w;
  }
  /// The number of values in a line of padding, which is read in units of four.
  int64_t padding_values() const { return int64_t(zeros_.size()); }
  /// Returns the scratch bytes that a row needs for values of `value_bytes` bytes.
  size_t scratch_bytes(size_t value_bytes) const;

 private:
  template <class T>
  friend class WindowRows;

  struct Offset {
    int64_t z, y, x;  // position of the tap within the window, in pixels
  };

  /// The range of outputs of an axis whose windows are inside the input.
  struct Inside {
    explicit Inside(const ConvAxis& axis);
    int64_t begin, end;
  };

  ConvGeometry geometry_;
  Inside columns_{ConvAxis()};
  int64_t span_ = 1;  // pixels of a tap
  int64_t depth_ = 0;
  int64_t copy_values_ = 0;  // values of a copied tap
  CountedVector<Offset> offsets_;
  CountedVector<double> zeros_;  // as large as the same number of values of any type
};

/// The surroundings of an image whose padding is not zero.
template <class T>
struct WindowPadding {
  const T* line = nullptr;   ///< ConvWindows::padding_values() equal values; null: zeros
  const T* x_end = nullptr;  ///< windows are copied rather than read past it in units of four values
};

/// The windows of one group of channels over x. x points to the group's first channel of the first pixel.
template <class T>
class WindowRows final : public RowSource<T> {
 public:
  WindowRows(const ConvWindows& windows, const T* x, const WindowPadding<T>& padding = {})
      : windows_(windows),
        x_(x),
        line_(padding.line ? padding.line : reinterpret_cast<const T*>(windows.zeros_.data())),
        x_end_(padding.x_end),
        zeros_(padding.line ? nullptr : line_) {}
  void rows(const RowBlock& block, const T** pointers, std::byte* scratch) const override;
  const T* zeros() const override { return zeros_; }

 private:
  /// The first position of a window in image n.
  struct Corner {
    int64_t n, z, y, x;
  };
  /// Where the addresses of a window's taps are written, and the room for copies of taps that reach over an edge.
  struct Target {
    const T** pointers;
    int64_t pitch;  // distance from one tap's address to the next
    T* copies;
  };

  Corner corner(int64_t row) const;
  /// Returns how many consecutive windows from this one on, at most `most`, reach over no side edge.
  int inside(const Corner& corner, int most) const;
  /// Writes the addresses of the taps of `count` such consecutive windows.
  void address_inside(const RowBlock& block, const Corner& corner, int count, const Target& target) const;
  /// Writes those of one window that may reach over edges. Returns the remaining room for copies.
  T* address_window(const RowBlock& block, const Corner& corner, const Target& target) const;
  const T* tap(const Corner& corner, const ConvWindows::Offset& offset, T* copy) const;

  bool passes_end(const Corner& corner) const;

  const ConvWindows& windows_;
  const T *x_, *line_, *x_end_, *zeros_;
};

}  // namespace linnet
