#pragma once

#include <cstdint>

#include "kernels/forms.h"
#include "linnet/dtype.h"

namespace linnet {

/// Remainders of two numbers of one type.
struct RemainderFunctions {
  NumberFunction truncated;  ///< a - trunc(a / b) b: the sign is that of a
  NumberFunction floored;    ///< a - floor(a / b) b: the sign is that of b
};

/// Remainders. Those of floats are rounded at most once, so results are bit-identical on every instruction set.
/// Integers modulo 0 give 0.
struct RemainderKernels {
  RemainderFunctions f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;
};

}  // namespace linnet
