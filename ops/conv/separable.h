#pragma once

#include <string>

#include "conv/conv_geometry.h"

namespace linnet {

/// Facts of the two convolutions, pointwise and depthwise, of which a separable convolution consists: channels-last,
/// float32. The ranks must be known.
inline constexpr ConvLayout kChannelsLast{true, true};

/// Returns the fact of y from x: [N, D1..., C] and w: [O, C, 1...]. `name` is the name of w.
Fact infer_pointwise(const Fact& x, const Fact& w, const std::string& name);
/// Returns the fact of y from x: [N, D1..., C] and w: [C, 1, k1...]. `name` is the name of w.
Fact infer_depthwise(const ConvAttributes& attributes, const Fact& x, const Fact& w, const std::string& name);

}  // namespace linnet
