#pragma once

#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/program.h"
#include "run/run_blocks.h"

namespace linnet {

/// Runs a program. It owns the memory and kernel states of one run at a time.
class Runner {
 public:
  explicit Runner(std::shared_ptr<Program> program);
  ~Runner();
  Runner(Runner&&) noexcept;

  /// Runs the program. `given`: RunOptions::outputs. Outputs have memory separate from the rest of the run. An output
  /// of which the caller still holds a copy is not overwritten; the next run uses other memory for it. The span itself
  /// is valid until the next run, whose inputs must not be part of it. Allocates nothing if shapes are those of the
  /// previous run, no output is held and no shape depends on data. After an Error the runner can run again.
  std::span<const Tensor> run(std::span<const Tensor> inputs, RunEnvironment& environment,
                              std::span<const Tensor> given = {});
  /// Makes the plan and the memory of a run. The inputs have no data; throws Error(kUnsupported) if it is needed.
  void prepare(std::span<const Tensor> inputs, RunEnvironment& environment);
  /// The outputs of the last run; empty tensors, or an empty span, if it failed.
  std::span<const Tensor> outputs() const;

  /// Whether the plan of the last run is for these inputs, and all kernels that read bool input `i` read every byte
  /// other than 0 as true.
  bool reads_any_bool(std::span<const Tensor> inputs, size_t i) const;

  /// The plan of the last run; nullptr before the first one.
  const Plan* plan() const { return plan_.get(); }

  /// Bytes of the values that the most recently used plan computes, and of its scratch memory. The states of kernels
  /// count as scratch.
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
  std::unique_ptr<Memory> memory_;                                     // the memory of plan_, once it is made
  std::unique_ptr<RunBlocks> blocks_ = std::make_unique<RunBlocks>();  // used by all plans in turn
};

}  // namespace linnet
