#pragma once

#include <vector>

#include "support/conv_reference.h"

namespace linnet::testing {

/// The sizes of a convolution, x [N, C, spatial...].
struct ConvSizes {
  Shape x;
  int64_t out_channels;
  std::vector<int64_t> kernel{3, 3};
  ConvSettings settings{};

  Shape w() const {
    Shape shape{out_channels, x[1]};
    for (const int64_t extent : kernel) shape.push_back(extent);
    return shape;
  }
};

}  // namespace linnet::testing
