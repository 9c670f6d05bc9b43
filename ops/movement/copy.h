#pragma once

#include "linnet/executor.h"
#include "linnet/tensor.h"

// Moving elements of any dtype of a byte or more, strings included. Throw Error(kUnsupported) for smaller ones.
namespace linnet {

/// y[i * y_stride] = x[i * x_stride] for i in [0, n); strides in elements, zero and negative ones included.
/// x and y do not overlap.
using CopyRow = void (*)(const void* x, int64_t x_stride, void* y, int64_t y_stride, int64_t n);
CopyRow copy_row_of(DType dtype);

/// Bytes from one element to the next.
int64_t element_bytes(DType dtype);

/// Copies all elements, bit for bit, in parallel; any dtype. Both tensors have the same dtype and number of elements.
void copy_tensor(const Tensor& x, Tensor& y, Executor& executor);

/// Sets all elements of y to the first one of `value`, which has y's dtype; any dtype.
void fill_tensor(const Tensor& value, Tensor& y, Executor& executor);

/// A tensor of one element: zero, false or the empty string.
Tensor zero_element(DType dtype);

}  // namespace linnet
