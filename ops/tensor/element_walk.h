#pragma once

#include <vector>

#include "linnet/fact.h"

namespace linnet {

/// How GatherElements and ScatterElements pair the elements of `indices` with those of a larger tensor: element i of
/// the indices, at coordinates c, belongs to the tensor's element at c with c[axis] replaced by the index.
class ElementWalk {
 public:
  ElementWalk(const Shape& tensor, const Shape& indices, int axis);

  int axis() const { return axis_; }
  int64_t dim() const { return dim_; }
  /// Stride of the axis in the tensor.
  int64_t stride() const { return strides_[size_t(axis_)]; }
  /// Elements of the indices in one row, their last axis, and the tensor's step from one to the next.
  int64_t row() const { return row_; }
  int64_t rows() const { return rows_; }
  int64_t step() const { return step_; }
  /// The tensor's element for the first coordinate of row r and index 0.
  int64_t base(int64_t r) const;

 private:
  Shape indices_;
  int axis_;
  int64_t dim_, row_, rows_, step_;
  std::vector<int64_t> strides_;
};

/// Checks that `indices` has the rank of `data`, which is known, and no larger dims but along the axis.
void require_indices_fit(const Fact& data, const Fact& indices, int64_t axis);

}  // namespace linnet
