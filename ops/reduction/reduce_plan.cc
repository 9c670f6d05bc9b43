#include "reduction/reduce_plan.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {
namespace {

struct Group {
  int64_t size;
  bool reduced;
};

// Merges adjacent dims of the same kind. Dims of size 1 belong to either kind.
std::vector<Group> merge_dims(const Shape& shape, const std::vector<bool>& is_reduced) {
  std::vector<Group> groups;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool reduced = is_reduced[size_t(i)];
    if (shape[i] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().size *= shape[i];
    } else {
      groups.push_back({shape[i], reduced});
    }
  }
  return groups;
}

}  // namespace

int64_t column_block(const ReducePlan& plan, const Executor& executor, int64_t most) {
  constexpr int64_t kUnit = 64;  // The block is a multiple of cache lines.
  const int64_t parts = ceil_div(std::max<int64_t>(1, executor.workers()), std::max<int64_t>(1, plan.kept.size()));
  const int64_t block = checked_mul(ceil_div(ceil_div(plan.columns, parts), kUnit), kUnit);
  return std::clamp<int64_t>(block, kUnit, most);
}

ReducePlan make_reduce_plan(const Shape& shape, const std::vector<bool>& is_reduced) {
  std::vector<Group> groups = merge_dims(shape, is_reduced);
  ReducePlan plan;
  if (!groups.empty() && !groups.back().reduced) {
    plan.columns = groups.back().size;
    groups.pop_back();
  }
  if (!groups.empty()) {
    plan.rows = groups.back().size;
    groups.pop_back();
  }
  int64_t stride = plan.rows * plan.columns;
  std::vector<int64_t> strides(groups.size());
  for (size_t i = groups.size(); i-- > 0; stride *= groups[i].size) strides[i] = stride;
  for (size_t i = 0; i < groups.size(); ++i)
    (groups[i].reduced ? plan.reduced : plan.kept).add(groups[i].size, strides[i]);
  return plan;
}

}  // namespace linnet
