#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// The elements of an optional input; nullptr if omitted.
template <class T>
const T* data_or_null(const Tensor& tensor) {
  return tensor ? tensor.data<T>() : nullptr;
}

}  // namespace linnet
