#pragma once

#include <vector>

#include "indexing/indices.h"
#include "linnet/fact.h"

namespace linnet {

/// How GatherElements and ScatterElements pair the elements of `indices` with those of a larger tensor: element i of
/// the indices, at coordinates c, belongs to the tensor's element at c with c[axis] replaced by the index.
class ElementWalk {
 public:
  ElementWalk(const Shape& tensor, const Shape& indices, int axis);

  /// The stride of the axis in the tensor.
  int64_t stride() const { return stride_; }
  /// The number of elements of the indices in one row, which consists of their trailing axes, the number of rows, and
  /// the tensor's step from one element of a row to the next.
  int64_t row() const { return row_; }
  int64_t rows() const { return rows_; }
  int64_t step() const { return step_; }
  /// Checks all indices. Throws Error(kShape) for an index out of range.
  void check(const Indices& indices) const { check_indices(indices, dim_, axis_); }
  /// Calls f(i, element) in order for each element i of the indices in row r and the tensor's element that belongs to
  /// it. Stops and returns false at an index out of range.
  template <class Index, class F>
  bool for_row(const Index* indices, int64_t r, F&& f) const {
    const int64_t begin = r * row_, end = begin + row_, dim = dim_, step = step_, along = stride();
    int64_t first = base(r);
    for (int64_t i = begin; i < end; ++i, first += step) {
      int64_t index = indices[i];
      if (!wrap_index(index, dim)) return false;
      f(i, first + index * along);
    }
    return true;
  }

  /// The tensor's element for the first coordinate of row r and index 0.
  int64_t base(int64_t r) const;

 private:
  static constexpr int64_t kLongestRow = 16384;  // Applies to rows of several axes, because workers share rows.

  int axis_;
  int64_t dim_, stride_, row_, rows_, step_;
  std::vector<int64_t> dims_, strides_;  // The dims of the indices, and the strides of the tensor, 0 along its axis.
};

/// Checks that `indices` has the rank of `data`, which is known, and no larger dims except along the axis. Throws
/// Error(kShape).
void require_indices_fit(const Fact& data, const Fact& indices, int64_t axis);

}  // namespace linnet
