#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/plan.h"
#include "run/run_blocks.h"

namespace linnet {

/// The tensors of a plan's slots in the memory of `blocks`, for one run at a time. Slots refer to memory without
/// keeping it alive, except for constants and what kernels allocate or provide. Outputs keep their memory alive.
struct RunMemory {
  RunMemory(const Plan& plan, RunBlocks& blocks, const RunEnvironment& environment);

  /// Releases what the previous run left, puts the inputs into their slots, and makes sure that nothing else holds the
  /// memory that outputs are written to, except given memory.
  void begin_run(const Plan& plan, std::span<const Tensor> inputs, std::span<const Tensor> given,
                 const RunEnvironment& environment);
  /// The given memory for the output of a kDynamic slot, if it can be written to at once; otherwise an empty tensor.
  Tensor given(const Plan& plan, int slot) const;
  /// Memory for a kDynamic slot. It is given() if that has this dtype and shape; otherwise memory of earlier runs that
  /// nothing holds and that is not much larger; otherwise new memory.
  Tensor dynamic(const Plan& plan, int slot, DType dtype, const Shape& shape, const RunEnvironment& environment);
  /// Counts what the value of a slot holds in addition to the slot's memory: text, elements (count_held()).
  void count_objects(const Plan& plan, int slot) const;
  /// Fills `outputs` from the slots and from the values of the rests.
  void collect_outputs(const Plan& plan, std::span<const Tensor> rest_values);

  std::vector<Tensor> slots, outputs;

 private:
  struct Owned {
    RunBlocks::Output* block = nullptr;
    size_t bytes = 0;       // of the slot with its guards; 0 for objects
    void* given = nullptr;  // the memory to which this run writes instead
  };

  /// Computes an output directly in its given memory if no other output shares the memory that it is computed in. Other
  /// outputs are copied.
  void take_given(const Plan& plan, std::span<const Tensor> inputs);
  /// Whether the memory given for an output overlaps an input that is read while the output is written.
  bool is_read(size_t output, const Plan& plan, std::span<const Tensor> inputs) const;
  /// Copies values that would be overwritten when outputs are copied to given memory that overlaps inputs.
  void separate(std::vector<Tensor>& values) const;

  void renew(const Plan& plan, const RunEnvironment& environment);

  RunBlocks& blocks_;
  std::vector<Tensor> given_;   // by output; empty if not given
  std::vector<bool> behind_;    // by output: whether its given memory is written at the end of the run
  std::map<int, Owned> owned_;  // by slot
  std::map<int, int> dynamic_;  // by slot: its index among the dynamic slots
};

}  // namespace linnet
