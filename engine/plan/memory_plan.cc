#include "plan/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "environment/run_environment.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

struct Placed {
  size_t begin, end;
  const Lifetime* lifetime;
};

bool overlap(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

// Finding gaps takes time quadratic in the number of blocks. Blocks that are not among the largest may therefore be
// packed less densely.
constexpr size_t kMostInGaps = 8192;

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

/// Places blocks one after another, in the order in which their lifetimes begin, in the memory of blocks whose
/// lifetimes have ended.
class Recycler {
 public:
  explicit Recycler(size_t begin) : end_(begin) {}

  size_t place(const Lifetime& lifetime, size_t bytes) {
    for (; !alive_.empty() && alive_.begin()->first < lifetime.first; alive_.erase(alive_.begin())) {
      free_.insert(alive_.begin()->second);
    }
    size_t offset = end_;
    if (const auto found = free_.lower_bound(bytes); found != free_.end()) {
      offset = found->second;
      if (found->first > bytes) free_.emplace(found->first - bytes, offset + bytes);
      free_.erase(found);
    } else {
      end_ += bytes;
    }
    alive_.emplace(lifetime.last, std::pair(bytes, offset));
    return offset;
  }
  size_t end() const { return end_; }

 private:
  size_t end_;
  std::multimap<size_t, size_t> free_;                   // bytes, offset
  std::multimap<int, std::pair<size_t, size_t>> alive_;  // by the ends of their lifetimes
};

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.resize(lifetimes.size());
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  const size_t in_gaps = std::min(order.size(), kMostInGaps);
  std::vector<Placed> placed;
  for (const size_t i : std::span(order).first(in_gaps)) {
    check_current();
    const size_t bytes = aligned(lifetimes[i].bytes);
    const size_t offset = lowest_gap(placed, lifetimes[i], bytes);
    const Placed block{offset, offset + bytes, &lifetimes[i]};
    const auto position = std::upper_bound(placed.begin(), placed.end(), block,
                                           [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    placed.insert(position, block);
    plan.offsets[i] = offset;
    plan.total = std::max(plan.total, block.end);
  }
  const std::span<size_t> small = std::span(order).subspan(in_gaps);
  std::stable_sort(small.begin(), small.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].first < lifetimes[b].first; });
  Recycler recycler(plan.total);
  for (const size_t i : small) plan.offsets[i] = recycler.place(lifetimes[i], aligned(lifetimes[i].bytes));
  plan.total = recycler.end();
  return plan;
}

}  // namespace linnet
