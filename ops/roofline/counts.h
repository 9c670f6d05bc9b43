#pragma once

#include "linnet/op.h"

// Counts that several operators share for Op::multiply_adds() and Op::bytes_moved().
namespace linnet {

/// The multiply-adds of a convolution. Every element of y is a sum over the weights [O, C / group, k...] of one output
/// channel. Taps in the padding count.
int64_t conv_multiply_adds(const Tensor& y, const Tensor& w);

/// The multiply-adds of a matrix product as in numpy.matmul. Every element of y is a sum over the last dim of a.
int64_t matmul_multiply_adds(const Tensor& y, const Tensor& a);

/// The number of pixels of a channels-last tensor: its elements for each index of its last dim.
int64_t pixels_of(const Tensor& channels_last);

/// The bytes moved by an operator that selects elements of input 0. It reads no more of them than output 0 contains.
int64_t bytes_of_selection(const NodeValues& values);

/// The bytes moved by an operator that replaces some elements of input 0 by those of the input `updates`. In place, it
/// writes only these.
int64_t bytes_of_scatter(const NodeValues& values, int updates);

}  // namespace linnet
