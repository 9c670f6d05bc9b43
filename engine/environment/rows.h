#pragma once

#include <span>

#include "linnet/tensor.h"

// Rows: the slices of a tensor along one axis. For dtypes of one byte or more.
namespace linnet {

Shape with_rows(Shape shape, int axis, int64_t rows);

/// Copies the first rows; both tensors have these, and the same other dims.
void copy_rows(const Tensor& from, int axis, int64_t rows, Tensor& to);

/// Fills rows [begin, end) with zeros.
void clear_rows(Tensor& x, int axis, int64_t begin, int64_t end);

/// Copies samples: slices along `axis`, those that `samples` names in this order. Of each the first rows along another
/// axis behind it, as many as `from` and `to` have memory for; row_axis = axis: all of it.
void copy_samples(const Tensor& from, int axis, std::span<const int64_t> samples, int row_axis, int64_t rows,
                  Tensor& to);

/// Whether the first rows of a tensor of this shape are stored one after the other, without a gap.
bool rows_are_dense(const Shape& shape, int axis);

}  // namespace linnet
