#pragma once

#include <vector>

#include "linnet/tensor.h"

namespace linnet::testing {

/// Rows of two features.
inline const Tensor kRows = Tensor::of(Shape{3, 2}, std::vector<float>{1, 2, -3, 0.5f, 0, 0});

}  // namespace linnet::testing
