#pragma once

#include <memory>
#include <span>
#include <vector>

#include "run/context_states.h"
#include "run/growing_run.h"

namespace linnet {

/// Runs a program some of whose outputs are states. States that grow are updated in place, others are passed back as
/// inputs.
class StatefulRun {
 public:
  /// inputs, outputs: those of the program, which must outlive this object.
  StatefulRun(std::shared_ptr<Program> program, const std::vector<ValueInfo>& inputs,
              const std::vector<ValueInfo>& outputs)
      : program_(std::move(program)), states_(inputs, outputs) {}

  ContextStates& states() { return states_; }
  const ContextStates& states() const { return states_; }
  /// Continues from the states of another run of the same program.
  void continue_from(const StatefulRun& other);
  void bind(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity = 0) {
    states_.bind(program_->graph(), output, input, initial, capacity);
  }

  /// inputs: all inputs; states are put into their places. feed_back() runs the program on them if states do not grow
  /// in place. Outputs that are states are empty.
  template <class F>
  std::span<const Tensor> run(std::vector<Tensor>& inputs, RunEnvironment& environment, std::span<const Tensor> given,
                              F&& feed_back);

  size_t arena_bytes() const { return states_.bytes() + (growing_ ? growing_->arena_bytes() : 0); }
  size_t scratch_bytes() const { return growing_ ? growing_->scratch_bytes() : 0; }

 private:
  bool grows_in_place(std::span<const Tensor> inputs, const RunEnvironment& environment);
  void run_in_place(std::span<const Tensor> inputs, RunEnvironment& environment, std::span<const Tensor> given);

  std::shared_ptr<Program> program_;
  ContextStates states_;
  std::unique_ptr<GrowingRun> growing_;  // nullptr until states grow in place
  std::vector<Tensor> results_;          // without states
};

template <class F>
std::span<const Tensor> StatefulRun::run(std::vector<Tensor>& inputs, RunEnvironment& environment,
                                         std::span<const Tensor> given, F&& feed_back) {
  states_.give_shapes(inputs);
  if (grows_in_place(inputs, environment)) {
    run_in_place(inputs, environment, given);
  } else {
    states_.give(inputs);
    const std::span<const Tensor> outputs = feed_back();
    results_.assign(outputs.begin(), outputs.end());
    states_.take(results_);
  }
  return results_;
}

}  // namespace linnet
