#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linnet {

/// A block of memory and the numbers of the first and the last node that use it.
struct Lifetime {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<size_t> offsets;  ///< one per lifetime, multiples of 64
  size_t total = 0;
};

/// Offsets such that blocks that live at the same time do not overlap: largest first, each into the lowest gap that
/// fits. Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", arXiv:2001.03288,
/// "greedy by size". Of very many, the small ones lie behind in memory that is used again as they come to an end.
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace linnet
