#pragma once

#include <cstddef>

namespace linnet {

/// Rounded up to the alignment of scratch memory: where the next part of it may begin.
inline size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace linnet
