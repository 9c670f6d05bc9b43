#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// keys[i] = the key of x[i * stride] for i in [0, n). Keys of numbers and bools order as their values do; -0 and 0
/// have one key, and so have all NaNs, which come last.
using OrderKeys = void (*)(const void* x, int64_t stride, uint64_t* keys, int64_t n);

/// Throws Error(kType) for other dtypes.
OrderKeys order_keys_of(DType dtype);

}  // namespace linnet
