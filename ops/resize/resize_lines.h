#pragma once

#include <span>
#include <vector>

#include "linnet/shape.h"
#include "resize/resize_axis.h"

namespace linnet {

/// A resize as work on lines. A line runs along the last axis that changes. Each of its pixels is the `inner`
/// contiguous elements of the axes after it. An output line is first combined from input lines, then resized. The axes
/// before the first one that changes count planes, which are all resized in the same way.
class ResizeLines {
 public:
  explicit ResizeLines(std::vector<ResizeAxis> axes);

  /// The input lines with a weight other than 0 that an output line is combined from. Real: float or double.
  template <class Real>
  struct Sources {
    const int64_t* offset;  ///< The offset of the first element of each input line from that of the plane.
    const Real* weight;
    int64_t count;
    bool outside;  ///< Whether the whole line receives the extrapolation value.
  };
  /// Returns the sources of output line `index` of a plane. offset, weight: room for max_sources() elements.
  template <class Real>
  Sources<Real> gather(int64_t index, int64_t* offset, Real* weight) const;

  /// Returns the offset of the only source of output line `index` of a plane, from the first element of the plane, or
  /// -1 if the line receives the extrapolation value. Requires axes of one tap.
  std::ptrdiff_t source(int64_t index) const;

  /// The axis along the line.
  const ResizeAxis& axis() const { return axis_; }
  int64_t inner() const { return inner_; }
  int64_t planes() const { return planes_; }
  int64_t lines() const { return lines_; }              ///< The output lines of a plane.
  int64_t in_lines() const { return in_lines_; }        ///< The input lines of a plane.
  bool enlarges() const { return lines_ > in_lines_; }  ///< Whether there are more output than input lines.
  int64_t max_sources() const { return max_sources_; }
  int64_t in_elements() const { return axis_.in * inner_; }
  int64_t out_elements() const { return axis_.out * inner_; }

 private:
  std::vector<ResizeAxis> outer_;
  std::vector<int64_t> strides_;  ///< The strides of the outer axes in a plane of the input, in elements.
  ResizeAxis axis_;
  int64_t inner_ = 1, planes_ = 1, lines_ = 1, in_lines_ = 1, max_sources_ = 1;
};

}  // namespace linnet
