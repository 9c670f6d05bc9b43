#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// keys[i] = the key of x[i * stride] for i in [0, n). Keys of numbers and bools order as their values do; -0 and 0
/// have one key, and so have all NaNs, which come last.
using OrderKeys = void (*)(const void* x, int64_t stride, uint64_t* keys, int64_t n);

/// Throws Error(kUnsupported) for other dtypes.
OrderKeys order_keys_of(DType dtype);

/// The same in 32 bits, for dtypes whose order fits; nullptr for others.
using NarrowOrderKeys = void (*)(const void* x, int64_t stride, uint32_t* keys, int64_t n);
NarrowOrderKeys narrow_order_keys_of(DType dtype);

/// An element and its key. Of equal keys, the lower index comes first.
struct KeyedIndex {
  uint64_t key;
  int64_t index;

  bool operator<(const KeyedIndex& other) const { return key != other.key ? key < other.key : index < other.index; }
};

}  // namespace linnet
