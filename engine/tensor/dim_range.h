#pragma once

#include "tensor/polynomial.h"

namespace linnet {

/// No class of shapes has inputs with larger dims, so arithmetic on dims rarely leaves the numbers of a dtype.
inline constexpr int64_t kUsualSize = INT32_MAX;

/// What a dim can be where each of its symbols is in the interval; no bounds where a number leaves 64 bits.
Interval range_of(const Dim& dim, const Interval& symbols);

}  // namespace linnet
