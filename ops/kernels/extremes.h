#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// The largest number of columns that are searched together.
inline constexpr int64_t kSearchColumns = 256;

/// Writes to y the positions of the first (or last) extremes of n values each, where n is in [1, 2^31 - 1]. The values
/// are those of `lanes` <= kSearchColumns adjacent columns of a matrix with `inner` columns, or of as many contiguous
/// rows if `inner` is 1. NaN is more extreme than every other value.
using ExtremeSearch = void (*)(const void* x, int64_t* y, int64_t n, int64_t inner, int64_t lanes, bool last);

/// Searches for the largest and the smallest values.
struct ExtremeSearches {
  ExtremeSearch max, min;
};

/// Searches with the same results on every instruction set.
struct ExtremeKernels {
  ExtremeSearches f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;
};

}  // namespace linnet
