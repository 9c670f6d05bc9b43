#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/plan.h"
#include "run/run_blocks.h"

namespace linnet {

/// The tensors of a plan's slots in the memory of `blocks`, for one run at a time. Slots refer to memory and do not
/// keep it alive, but for constants and what kernels allocate or provide; outputs keep theirs.
struct RunMemory {
  RunMemory(const Plan& plan, RunBlocks& blocks, const RunEnvironment& environment);

  /// Lets go of what the run before left, puts the inputs into their slots, and sees to it that nobody else holds the
  /// memory that outputs will be written to, but for what is given.
  void begin_run(const Plan& plan, std::span<const Tensor> inputs, std::span<const Tensor> given,
                 const RunEnvironment& environment);
  /// What is given for the output that a kDynamic slot is, to be written at once; none for others.
  Tensor given(const Plan& plan, int slot) const;
  /// Memory for a kDynamic slot: what is given(), if that has this dtype and shape, else memory of runs before that
  /// nobody holds any more and that is not much larger, else new one.
  Tensor dynamic(const Plan& plan, int slot, DType dtype, const Shape& shape, const RunEnvironment& environment);
  /// Counts what the value of a slot holds beside its own memory: text, elements (count_held()).
  void count_objects(const Plan& plan, int slot) const;
  /// Fills `outputs` from the slots and from the values of the rests.
  void collect_outputs(const Plan& plan, std::span<const Tensor> rest_values);

  std::vector<Tensor> slots, outputs;

 private:
  struct Owned {
    RunBlocks::Output* block = nullptr;
    void* given = nullptr;  // written to instead, in this run
  };

  /// An output that alone is computed in some memory is computed in what is given for it; others are copied.
  void take_given(const Plan& plan, std::span<const Tensor> inputs);
  /// Whether what is given for an output overlaps an input that is read while the output is written.
  bool is_read(size_t output, const Plan& plan, std::span<const Tensor> inputs) const;
  /// Copies what would be lost when outputs are copied to inputs' memory that is given for them.
  void separate(std::vector<Tensor>& values) const;

  void renew(const Plan& plan, const RunEnvironment& environment);

  RunBlocks& blocks_;
  std::vector<Tensor> given_;   // by output; empty ones: none
  std::vector<bool> behind_;    // by output: what is given is written when the run ends
  std::map<int, Owned> owned_;  // by slot
  std::map<int, int> dynamic_;  // by slot: its place among them
};

}  // namespace linnet
