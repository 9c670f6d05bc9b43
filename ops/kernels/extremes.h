#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// Columns that are searched together, at the most.
inline constexpr int64_t kSearchColumns = 256;

/// y = the positions of the first (or last) extremes of n values each, 1 to 2^31 - 1: of `lanes` <= kSearchColumns
/// neighbouring columns of a matrix with `inner` ones, or of as many contiguous rows if that is 1. NaN is beyond every
/// other value.
using ExtremeSearch = void (*)(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last);

/// Of the largest and of the smallest values.
struct ExtremeSearches {
  ExtremeSearch max, min;
};

/// Searches with the same results on every instruction set.
struct ExtremeKernels {
  ExtremeSearches f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;
};

}  // namespace linnet
