#pragma once

#include "conv/conv_geometry.h"
#include "gemm/rows.h"
#include "linnet/executor.h"

namespace linnet {

/// Images of few channels, copied so that the values of each window are contiguous. A stack holds, for one output
/// column, what its windows read of each line of the image with its padding: stacks[image][column][line][span]. The
/// windows of adjacent outputs in a column overlap. As rows of a product, windows have one tap, no edges and equal
/// distances.
class StackedWindows {
 public:
  StackedWindows() = default;
  /// unit: values of a row that are multiplied together. A line of a stack is a multiple of it.
  StackedWindows(const ConvGeometry& geometry, int64_t unit, int64_t value_bytes);

  /// Whether windows of several lines, each of few values, are worth the copies.
  bool used() const { return values_ > 0; }
  /// The number of values of a window.
  int64_t depth() const { return depth_; }
  /// The number of values of all stacks; 0 where they are not used.
  int64_t values() const { return values_; }

  /// Copies images x to `stacks`, which has room for values(). padding: the value outside of an image. Values between
  /// the end of a line and the next unit are those of other pixels, or `padding`.
  template <class T>
  void copy(Executor& executor, const T* x, T padding, T* stacks) const;

 private:
  template <class T>
  friend class StackedRows;

  /// A group of output columns of one image, whose parts of a line are copied together.
  struct Columns {
    int64_t image, begin, end;
  };

  template <class T>
  void copy_columns(const Columns& columns, const T* x, T padding, T* stacks) const;
  template <class T>
  void read_line(const Columns& columns, int64_t line, const T* x, T padding, T* to) const;

  ConvAxis height_, width_;
  int64_t images_ = 0, channels_ = 0;
  int64_t depth_ = 0, values_ = 0;
  int64_t lines_ = 0;  // of a stack
  int64_t span_ = 0;   // values of a line of a stack
  int64_t pitch_ = 0;  // values from one stack to the next
  // Values from the window of an output to that of the next one: along a line of the image, and along a stack.
  int64_t column_step_ = 0, row_step_ = 0;
};

/// The windows of StackedWindows as the rows of a product. Row r is the window of output pixel r of all images.
template <class T>
class StackedRows final : public RowSource<T> {
 public:
  StackedRows(const StackedWindows& windows, const T* stacks) : windows_(windows), stacks_(stacks) {}
  void rows(const RowBlock& block, const T** pointers, std::byte* scratch) const override;

 private:
  const StackedWindows& windows_;
  const T* stacks_;
};

}  // namespace linnet
