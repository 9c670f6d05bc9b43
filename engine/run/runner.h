#pragma once

#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/program.h"

namespace linnet {

/// Runs a program: the memory and kernel states of one run at a time.
class Runner {
 public:
  explicit Runner(std::shared_ptr<Program> program) : program_(std::move(program)) {}

  /// The outputs stay valid until the next run. Allocates nothing when shapes are those of the run before and none
  /// depends on data.
  std::span<const Tensor> run(std::span<const Tensor> inputs, RunEnvironment& environment);

  /// Arena and scratch bytes of the plan used last. What kernels keep as state counts as scratch.
  size_t arena_bytes() const;
  size_t scratch_bytes() const;

 private:
  class StepContext;

  void bind(std::span<const Tensor> inputs, RunEnvironment& environment);
  void bind_slots();
  void run_step(size_t index, RunEnvironment& environment);
  void run_kernel(size_t index, RunEnvironment& environment);
  void check_objects(const Step& step, const RunEnvironment& environment) const;
  void collect_outputs(RunEnvironment& environment);

  std::shared_ptr<Program> program_;
  std::shared_ptr<const Plan> plan_;
  Tensor arena_, scratch_;
  std::vector<Tensor> slots_, outputs_, rest_inputs_;
  std::vector<std::unique_ptr<KernelState>> states_;
  std::unique_ptr<Runner> rest_;
};

}  // namespace linnet
