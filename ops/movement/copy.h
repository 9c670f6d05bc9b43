#pragma once

#include "linnet/executor.h"
#include "linnet/tensor.h"

// Copies of elements of any dtype of a byte or more, strings included. Smaller dtypes throw Error(kUnsupported), except
// where any dtype is stated.
namespace linnet {

/// Copies y[i * y_stride] = x[i * x_stride] for i in [0, n). Strides are in elements and may be zero or negative.
/// x and y do not overlap.
using CopyRow = void (*)(const void* x, int64_t x_stride, void* y, int64_t y_stride, int64_t n);
CopyRow copy_row_of(DType dtype);

/// The bytes from one element to the next.
int64_t element_bytes(DType dtype);

/// Copies all elements, bit for bit, in parallel. Accepts any dtype. Both tensors have the same dtype and number of
/// elements.
void copy_tensor(const Tensor& x, Tensor& y, Executor& executor);

/// Sets all elements of y to the first element of `value`, which has y's dtype. Accepts any dtype.
void fill_tensor(const Tensor& value, Tensor& y, Executor& executor);

/// Returns a tensor of one element: zero, false or the empty string.
Tensor zero_element(DType dtype);

}  // namespace linnet
