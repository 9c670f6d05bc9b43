#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linnet {

/// A block of memory and the first and last node that use it, by number.
struct Lifetime {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<size_t> offsets;  ///< one per lifetime, multiples of 64
  size_t total = 0;
};

/// Computes offsets such that blocks that are in use at the same time do not overlap: largest first, each into the
/// lowest gap that fits. If there are very many blocks, the small ones are placed after the others, in memory that is
/// reused when an earlier block ends.
/// Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", arXiv:2001.03288, "greedy by
/// size".
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace linnet
