#pragma once

#include <vector>

#include "plan/plan.h"

namespace linnet {

/// Checks the memory of a guarded plan: see ModelOptions::guard_memory.
class MemoryGuard {
 public:
  explicit MemoryGuard(const Plan& plan);

  /// Fills all values and guards with NaNs. Those of `slots` that own memory must be bound.
  void begin_run(const std::vector<Tensor>& slots) const;
  void begin_node(const Tensor& scratch) const;
  /// Throws Error(kInternal) if a guard was overwritten; otherwise fills values that are no longer read with NaNs.
  void end_node(size_t node, const std::vector<Tensor>& slots, const Tensor& scratch) const;

 private:
  void check_scratch(const Kernel& kernel, const Tensor& scratch) const;

  const Plan& plan_;
  std::vector<int> owners_;                // slots with separate memory
  std::vector<std::vector<int>> dead_at_;  // owners by the node that reads them last
};

}  // namespace linnet
