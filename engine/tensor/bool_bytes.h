#pragma once

#include "linnet/tensor.h"

// A bool is a byte that is 0 or 1. Files and callers may give other bytes, which mean true, but kernels require 0 or 1.
namespace linnet {

/// Whether the value contains a bool that is neither 0 nor 1, including those in sequences, optionals and maps.
LINNET_API bool has_other_bools(const Tensor& value);
/// The value itself if all its bools are 0 or 1; otherwise a copy in which all others are 1.
LINNET_API Tensor normalized_bools(const Tensor& value);
/// Normalises bools in the memory of the tensor. Other tensors are unchanged.
LINNET_API void normalize_bools(Tensor& tensor);

}  // namespace linnet
