#pragma once

#include <vector>

#include "linnet/tensor.h"

namespace linnet::testing {

/// Parameters of the reference convolution. The pads are in ONNX's order (top, left, bottom, right).
struct ConvSettings {
  std::vector<int64_t> strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  int64_t group = 1;
};

/// Computes a convolution of two or three spatial axes in double precision, by scattering every input value to the
/// outputs that it reaches.
Tensor conv_reference(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvSettings& settings);

/// Converts [N, C, spatial...] to [N, spatial..., C] and back, for elements of 4 bytes.
Tensor to_channels_last(const Tensor& x);
Tensor to_channels_first(const Tensor& x);

}  // namespace linnet::testing
