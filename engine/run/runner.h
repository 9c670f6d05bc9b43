#pragma once

#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/program.h"
#include "run/run_blocks.h"

namespace linnet {

/// Runs a program: the memory and kernel states of one run at a time.
class Runner {
 public:
  explicit Runner(std::shared_ptr<Program> program);
  ~Runner();
  Runner(Runner&&) noexcept;

  /// The outputs share memory of their own, apart from the rest of the run's: one that somebody still holds a copy of
  /// is not written again, the next run takes other memory for it. The span itself stays valid until the next run,
  /// whose inputs may not lie in it. Allocates nothing when shapes are those of the run before, nobody holds an output
  /// and no shape depends on data. After an Error the runner is as before. `given`: RunOptions::outputs.
  std::span<const Tensor> run(std::span<const Tensor> inputs, RunEnvironment& environment,
                              std::span<const Tensor> given = {});
  /// Makes the plan and the memory of a run. The inputs have no data; Error(kUnsupported) where it is needed.
  void prepare(std::span<const Tensor> inputs, RunEnvironment& environment);
  /// Those of the last run; empty tensors, or none, where it failed.
  std::span<const Tensor> outputs() const;

  /// The plan of the last run; nullptr before the first one.
  const Plan* plan() const { return plan_.get(); }

  /// Bytes of the values that the plan used last computes, and of its scratch memory. What kernels keep as state counts
  /// as scratch.
  size_t arena_bytes() const;
  size_t scratch_bytes() const;

 private:
  class PlannedNodeContext;
  struct Memory;

  void bind(std::span<const Tensor> inputs, RunEnvironment& environment);
  void drop(std::unique_ptr<Memory>& left);
  std::unique_ptr<Memory> new_memory(const Plan* before, std::unique_ptr<Memory> memory, RunEnvironment& environment);
  void run_node(size_t index, RunEnvironment& environment);
  void run_kernel(size_t index, RunEnvironment& environment);
  void count_objects(const PlannedNode& planned) const;
  void run_rests(RunEnvironment& environment);

  std::shared_ptr<Program> program_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Memory> memory_;                                     // of plan_, where it is made
  std::unique_ptr<RunBlocks> blocks_ = std::make_unique<RunBlocks>();  // of all plans in turn
};

}  // namespace linnet
