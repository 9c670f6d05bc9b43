#pragma once

#include <string>

#include "conv/conv_geometry.h"

namespace linnet {

/// Facts of the two convolutions, pointwise and depthwise, that a separable one consists of; channels-last, float32.
/// Ranks must be known.
inline constexpr ConvLayout kChannelsLast{true, true};

/// y of x: [N, D1..., C] and w: [O, C, 1...]; `name` is that of w.
Fact infer_pointwise(const Fact& x, const Fact& w, const std::string& name);
/// y of x: [N, D1..., C] and w: [C, 1, k1...]; `name` is that of w.
Fact infer_depthwise(const ConvAttributes& attributes, const Fact& x, const Fact& w, const std::string& name);

}  // namespace linnet
