#pragma once

#include "linnet/tensor.h"

// For operators that compute in float32 on tensors of float16, bfloat16 or float32.
namespace linnet {

/// Values [first, first + n): as they lie where the tensor is float32, else converted to `buffer`.
const float* load_floats(const Tensor& tensor, int64_t first, int64_t n, float* buffer);

/// Where values [first, ...) may be computed: in the tensor itself where it is float32, else in `buffer`.
float* float_target(Tensor& tensor, int64_t first, float* buffer);

/// Stores values, which may come from float_target(), rounded to the tensor's dtype.
void store_floats(const float* values, int64_t n, Tensor& tensor, int64_t first);

/// Rounds values to the dtype, in place.
void round_floats(DType dtype, float* values, int64_t n);

}  // namespace linnet
