#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// Writes element i of a float32 or float16 tensor.
inline void store_score(Tensor& tensor, int64_t i, float value) {
  if (tensor.dtype() == DType::kFloat16) {
    tensor.data<Half>()[i] = Half(value);
  } else {
    tensor.data<float>()[i] = value;
  }
}

}  // namespace linnet
