#pragma once

#include <cstddef>

namespace linnet {

/// The alignment in bytes of tensors and of the parts of arenas and scratch memory: a cache line, and the widest
/// vector.
inline constexpr size_t kAlignment = 64;

/// Rounds the bytes up to the alignment: the offset at which the next part of a block may begin.
inline size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace linnet
