#pragma once

#include <algorithm>
#include <cstdint>

namespace linnet {

/// The integral part of a position along an axis of `size` >= 1 elements, as an index: the first index for lower
/// positions and NaN, the last for higher ones. Comparing floats is not enough, because T(size - 1) may round up to
/// size.
template <class T>
int64_t axis_index(T position, int64_t size) {
  if (!(position > 0)) return 0;
  return position < T(size) ? std::min(static_cast<int64_t>(position), size - 1) : size - 1;
}

}  // namespace linnet
