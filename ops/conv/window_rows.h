#pragma once

#include "conv/conv_geometry.h"
#include "gemm/rows.h"
#include "gemm/weights.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The windows of a convolution over channels-last data, as the rows of a matrix product without a copy: row r is the
/// window of output pixel r (of all images), tap t one position of it, and its values that position's channels.
/// Positions in the padding are a line of zeros, as long as those of all groups or longer. With few channels the
/// positions along the width, which then lie next to each other, form one tap; windows that reach over a side edge are
/// copied.
class ConvWindows {
 public:
  ConvWindows() = default;
  explicit ConvWindows(const ConvGeometry& geometry);

  int64_t taps() const { return int64_t(offsets_.size()); }
  int64_t depth() const { return depth_; }
  /// The weights of a group (conv_matrices) with the positions along the width as one tap where they are.
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
  /// Values of a line of padding, which is read in units of four.
  int64_t padding_values() const { return int64_t(zeros_.size()); }
  /// Scratch for a row of values of so many bytes.
  size_t scratch_bytes(size_t value_bytes) const;

 private:
  template <class T>
  friend class WindowRows;

  struct Offset {
    int64_t z, y, x;  // of the tap within the window, in pixels
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
  int64_t copy_values_ = 0;  // of a tap that is copied
  CountedVector<Offset> offsets_;
  CountedVector<double> zeros_;  // as many as values of any type
};

/// What lies around an image of numbers that padding does not make zero.
template <class T>
struct WindowPadding {
  const T* line = nullptr;   ///< ConvWindows::padding_values() equal ones; null: zeros
  const T* x_end = nullptr;  ///< windows are copied rather than read past it in units of four values
};

/// The windows of one group of channels over x, which points at the group's first channel of the first pixel.
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
  /// How many windows from this one on, at most `most`, reach over no side edge.
  int inside(const Corner& corner, int most) const;
  /// The addresses of the taps of `count` such windows, one after the other.
  void address_inside(const RowBlock& block, const Corner& corner, int count, const Target& target) const;
  /// Those of one window that may reach over edges; returns the room that is left for copies.
  T* address_window(const RowBlock& block, const Corner& corner, const Target& target) const;
  const T* tap(const Corner& corner, const ConvWindows::Offset& offset, T* copy) const;

  bool passes_end(const Corner& corner) const;

  const ConvWindows& windows_;
  const T *x_, *line_, *x_end_, *zeros_;
};

}  // namespace linnet
