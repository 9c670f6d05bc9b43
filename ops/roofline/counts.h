#pragma once

#include "linnet/op.h"

// What several operators count for Op::multiply_adds() and Op::bytes_moved().
namespace linnet {

/// Of a convolution: every element of y sums up the weights [O, C / group, k...] of one output channel. Taps in the
/// padding count.
int64_t conv_multiply_adds(const Tensor& y, const Tensor& w);

/// Of a matrix product as numpy.matmul: every element of y sums up products over the last dim of a.
int64_t matmul_multiply_adds(const Tensor& y, const Tensor& a);

/// The elements of a tensor for each index of its last dim: the pixels of one that is channels-last.
int64_t pixels_of(const Tensor& channels_last);

/// Of an operator that selects elements of input 0: it reads no more of them than output 0 holds.
int64_t bytes_of_selection(const NodeValues& values);

/// Of an operator that replaces some elements of input 0 by those of the input `updates`: in place it writes these
/// alone.
int64_t bytes_of_scatter(const NodeValues& values, int updates);

}  // namespace linnet
