#pragma once

#include <vector>

#include "linnet/tensor.h"

namespace linnet::testing {

/// What the reference convolution is given; pads as in ONNX (top, left, bottom, right).
struct ConvSettings {
  std::vector<int64_t> strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  int64_t group = 1;
};

/// A convolution of two spatial axes, or of three, by scattering every input value to the outputs it reaches, in double
/// precision.
Tensor conv_reference(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvSettings& settings);

/// [N, C, spatial...] to [N, spatial..., C] and back, any element of 4 bytes.
Tensor to_channels_last(const Tensor& x);
Tensor to_channels_first(const Tensor& x);

}  // namespace linnet::testing
