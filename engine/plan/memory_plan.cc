#include "plan/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "tensor/alignment.h"

namespace linnet {
namespace {

struct Placed {
  size_t begin, end;
  const Lifetime* lifetime;
};

bool overlap(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

// `placed` is sorted by begin.
size_t lowest_gap(const std::vector<Placed>& placed, const Lifetime& lifetime, size_t bytes) {
  size_t offset = 0;
  for (const Placed& other : placed) {
    if (!overlap(*other.lifetime, lifetime)) continue;
    if (offset + bytes <= other.begin) break;
    offset = std::max(offset, other.end);
  }
  return offset;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.resize(lifetimes.size());
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<Placed> placed;
  for (const size_t i : order) {
    const size_t bytes = aligned(lifetimes[i].bytes);
    const size_t offset = lowest_gap(placed, lifetimes[i], bytes);
    const Placed block{offset, offset + bytes, &lifetimes[i]};
    const auto position = std::upper_bound(placed.begin(), placed.end(), block,
                                           [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    placed.insert(position, block);
    plan.offsets[i] = offset;
    plan.total = std::max(plan.total, block.end);
  }
  return plan;
}

}  // namespace linnet
