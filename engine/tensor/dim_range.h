#pragma once

#include "tensor/polynomial.h"

namespace linnet {

/// No shape class has inputs with larger dims, so that arithmetic on dims rarely leaves the range of a dtype.
inline constexpr int64_t kUsualSize = INT32_MAX;

/// The range of a dim if each of its symbols is in the interval; unbounded if a number exceeds 64 bits.
Interval range_of(const Dim& dim, const Interval& symbols);

}  // namespace linnet
