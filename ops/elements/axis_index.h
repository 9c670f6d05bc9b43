#pragma once

#include <algorithm>
#include <cstdint>

namespace linnet {

/// The whole part of a position along an axis of `size` elements, one or more, as an index: the first for positions
/// below it and NaN, the last for those beyond it. No comparison of floats gives that: T(size - 1) may round up to
/// size.
template <class T>
int64_t axis_index(T position, int64_t size) {
  if (!(position > 0)) return 0;
  return position < T(size) ? std::min(static_cast<int64_t>(position), size - 1) : size - 1;
}

}  // namespace linnet
