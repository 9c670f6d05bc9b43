#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "environment/run_environment.h"
#include "plan/plan.h"

namespace linnet {

/// The tensors of a plan's slots and the memory behind them, for one run at a time. Slots refer to memory and do not
/// keep it alive, but for constants and what kernels allocate or provide; outputs keep theirs.
struct RunMemory {
  RunMemory(const Plan& plan, const RunEnvironment& environment);

  /// Lets go of what the run before left, puts the inputs into their slots, and sees to it that nobody else holds the
  /// memory that outputs will be written to, but for what is given.
  void begin_run(const Plan& plan, std::span<const Tensor> inputs, std::span<const Tensor> given,
                 const RunEnvironment& environment);
  /// What is given for the output that a kDynamic slot is; none for others.
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
  /// What one kOwned slot is kept in. Two take turns where somebody always holds the output of the run before.
  struct Owned {
    std::shared_ptr<Tensor> current, spare;
    void* given = nullptr;  // written to instead, in this run
    void renew(const Slot& slot, size_t guard, const RunEnvironment& environment);
  };

  void take_given(const Plan& plan);

  std::vector<Tensor> given_;  // by output; empty ones: none
  Tensor arena_;
  std::map<int, Owned> owned_, dynamic_;  // by slot
};

}  // namespace linnet
