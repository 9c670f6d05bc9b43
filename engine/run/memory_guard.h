#pragma once

#include <vector>

#include "plan/plan.h"

namespace linnet {

/// Watches over the memory of a guarded plan: see ModelOptions::guard_memory.
class MemoryGuard {
 public:
  explicit MemoryGuard(const Plan& plan);

  /// Fills all values and guards with NaNs; of `slots`, those that own memory are bound.
  void begin_run(const std::vector<Tensor>& slots) const;
  void begin_node(const Tensor& scratch) const;
  /// Throws Error(kInternal) where a guard was written to; then fills the values that nobody reads any more.
  void end_node(size_t node, const std::vector<Tensor>& slots, const Tensor& scratch) const;

 private:
  void check_scratch(const Kernel& kernel, const Tensor& scratch) const;

  const Plan& plan_;
  std::vector<int> owners_;                // slots with memory of their own
  std::vector<std::vector<int>> dead_at_;  // owners by the node that reads them last
};

}  // namespace linnet
