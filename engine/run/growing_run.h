#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/growing_program.h"
#include "run/runner.h"

namespace linnet {

/// Memory of states for more rows than they have.
struct StateRooms {
  std::vector<Tensor> tensors;  ///< by input of the model; empty ones: no such state
  int64_t rows = 0;             ///< in use
  int64_t capacity = 0;
};

/// Runs a GrowingProgram: the memory of one run at a time.
class GrowingRun {
 public:
  explicit GrowingRun(std::shared_ptr<GrowingProgram> program);

  const std::shared_ptr<GrowingProgram>& program() const { return program_; }

  /// inputs: those of the model, of states the shape only. new_rows: what the program says is asked for. Outputs as
  /// Runner::run() gives them; those of states are their rooms, with the new rows, where plans are not guarded. Throws
  /// Error(kShape) where a mask does not have a column for each row, Error(kInternal) where the plan writes another
  /// number of rows.
  std::span<const Tensor> run(std::span<const Tensor> inputs, const StateRooms& rooms, int64_t new_rows,
                              RunEnvironment& environment, std::span<const Tensor> given);

  size_t arena_bytes() const { return sizes_.arena_bytes() + steps_.arena_bytes(); }
  size_t scratch_bytes() const { return sizes_.scratch_bytes() + steps_.scratch_bytes(); }

 private:
  static void widen(const Tensor& x, const StateRooms& rooms, int64_t new_rows, const RunEnvironment& environment,
                    Tensor& wide);
  void check_written(int64_t new_rows) const;

  std::shared_ptr<GrowingProgram> program_;
  Runner sizes_, steps_;
  std::vector<Tensor> inputs_;  // of steps
  std::vector<Tensor> wide_;    // those with as many columns as there is room
  Tensor rows_;
};

}  // namespace linnet
