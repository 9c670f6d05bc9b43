#pragma once

#include "linnet/tensor.h"

// A bool is a byte that is 0 or 1. Files and callers may give other bytes, which mean true; kernels count on these two.
namespace linnet {

/// Whether the value holds a bool that is neither 0 nor 1; bools in sequences, optionals and maps count, too.
LINNET_API bool has_other_bools(const Tensor& value);
/// The value itself where all its bools are 0 or 1; else a copy in which the other ones are 1.
LINNET_API Tensor normalized_bools(const Tensor& value);
/// The same in the memory of a tensor; those that do not hold bools stay as they are.
LINNET_API void normalize_bools(Tensor& tensor);

}  // namespace linnet
