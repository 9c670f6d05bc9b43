#pragma once

#include <vector>

#include "linnet/tensor.h"

namespace linnet::testing {

/// Returns first, first + 1, first + 2...
inline Tensor ramp(const Shape& shape, float first = 0) {
  std::vector<float> values(size_t(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + float(i);
  return Tensor::of(shape, values);
}

}  // namespace linnet::testing
