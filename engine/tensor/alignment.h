#pragma once

#include <cstddef>

namespace linnet {

/// What the memory of tensors, and of the parts of arenas and scratch memory, is aligned to: a cache line, and the
/// widest vector.
inline constexpr size_t kAlignment = 64;

/// The bytes rounded up to the alignment: where the next part of a block may begin.
inline size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace linnet
