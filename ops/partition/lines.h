#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/alignment.h"

namespace linnet {

/// Returns how many of n elements to write to y first. Storing a vector across two cache lines takes twice as long as
/// storing it within one. The first elements of a long row that does not start at a line are therefore written
/// separately.
inline int64_t elements_to_line(const void* y, size_t element_bytes, int64_t n) {
  constexpr int64_t kLongRow = 2048;  // the first elements take as long as some hundred others
  const size_t bytes = -reinterpret_cast<uintptr_t>(y) % kAlignment;
  return n < kLongRow || bytes == 0 || bytes % element_bytes != 0 ? n : int64_t(bytes / element_bytes);
}

}  // namespace linnet
