#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/alignment.h"

namespace linnet {

/// How many of n elements to write to y at once. Vectors that are stored across two lines of the cache take twice as
/// long as those within one, so the first elements of a long row that does not begin at a line come alone.
inline int64_t elements_to_line(const void* y, size_t element_bytes, int64_t n) {
  constexpr int64_t kLongRow = 2048;  // the first elements take as long as some hundred others
  const size_t bytes = -reinterpret_cast<uintptr_t>(y) % kAlignment;
  return n < kLongRow || bytes == 0 || bytes % element_bytes != 0 ? n : int64_t(bytes / element_bytes);
}

}  // namespace linnet
