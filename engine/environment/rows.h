#pragma once

#include <span>

#include "linnet/tensor.h"

// Rows are the slices of a tensor along one axis. These functions are for dtypes of one byte or more.
namespace linnet {

Shape with_rows(Shape shape, int axis, int64_t rows);

/// Copies the first rows. Both tensors must have them and must have equal other dims.
void copy_rows(const Tensor& from, int axis, int64_t rows, Tensor& to);

/// Fills rows [begin, end) with zeros.
void clear_rows(Tensor& x, int axis, int64_t begin, int64_t end);

/// Copies samples, which are slices along `axis`, in the order of `samples`. Of each sample it copies the first `rows`
/// rows along row_axis, a later axis for which `from` and `to` may have memory for more rows. If row_axis = axis, it
/// copies the whole sample.
void copy_samples(const Tensor& from, int axis, std::span<const int64_t> samples, int row_axis, int64_t rows,
                  Tensor& to);

/// Whether the first rows of a tensor of this shape are contiguous.
bool rows_are_dense(const Shape& shape, int axis);

}  // namespace linnet
