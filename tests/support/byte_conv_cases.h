#pragma once

#include <vector>

#include "linnet/node_spec.h"
#include "linnet/shape.h"
#include "support/conv_reference.h"

namespace linnet::testing {

/// The sizes of a convolution of bytes, x [N, C, H, W].
struct ByteConvCase {
  Shape x, w;
  ConvSettings settings{};
};

/// Cases: odd channels, groups, groups that fill vectors partially, depthwise, a pixel of several taps, windows in the
/// padding, chunks of several images, 3x3 windows over many channels, one pixel more than a block that is widened at a
/// time, panels of whole vectors of output channels, of one group and of two.
const std::vector<ByteConvCase>& byte_conv_cases();

/// Returns the attributes of Conv.
Attributes conv_attributes(const ConvSettings& settings);

}  // namespace linnet::testing
