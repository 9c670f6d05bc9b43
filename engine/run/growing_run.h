#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/growing_program.h"
#include "run/runner.h"

namespace linnet {

/// Memory of states, for more rows than they have.
struct StateRooms {
  std::vector<Tensor> tensors;      ///< by input of the model; empty if it is not such a state
  std::vector<int64_t> rows;        ///< rows in use, by count
  std::vector<int64_t> capacities;  ///< by count
};

/// Runs a GrowingProgram. It owns the memory of one run at a time.
class GrowingRun {
 public:
  explicit GrowingRun(std::shared_ptr<GrowingProgram> program) : program_(std::move(program)) {}

  const std::shared_ptr<GrowingProgram>& program() const { return program_; }

  /// Prepares run() for these capacities. False if there is no program for them.
  bool prepare(const std::vector<int64_t>& capacities);

  /// inputs: those of the model; of states only the shape counts. Returns outputs as Runner::run() does; those of
  /// states are their rooms with the new rows, or other memory of that shape. Throws Error(kInternal) if the plan
  /// writes another number of rows than expected.
  std::span<const Tensor> run(std::span<const Tensor> inputs, const StateRooms& rooms, RunEnvironment& environment,
                              std::span<const Tensor> given);

  size_t arena_bytes() const { return runner_ ? runner_->arena_bytes() : 0; }
  size_t scratch_bytes() const { return runner_ ? runner_->scratch_bytes() : 0; }

 private:
  static void widen(const Tensor& x, int axis, int64_t room, const RunEnvironment& environment, Tensor& wide);
  void check_written() const;

  std::shared_ptr<GrowingProgram> program_;
  std::shared_ptr<const GrowingProgram::Steps> steps_;
  std::optional<Runner> runner_;
  std::vector<Tensor> inputs_;  // the inputs of steps_
  std::vector<Tensor> wide_;    // inputs with room
};

}  // namespace linnet
