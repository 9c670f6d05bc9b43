#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The states that bench's --state binds, and the inputs of the steps between two resets. Inputs that --grow names
/// become longer with each step.
class BenchStates {
 public:
  /// inputs: those of the first step, including initial states. Throws Failure(kUsage) for names that the model does
  /// not have.
  BenchStates(const Model& model, const std::vector<Tensor>& inputs, const Options& options);

  explicit operator bool() const { return !bound_.empty(); }
  void bind(Context& context) const;
  int64_t steps() const { return int64_t(inputs_.size()); }
  const std::vector<Tensor>& inputs(int64_t step) const { return inputs_[size_t(step)]; }

 private:
  struct State {
    std::string output, input;
    Tensor initial;
  };
  std::vector<State> bound_;
  std::vector<std::vector<Tensor>> inputs_;  // by step
};

}  // namespace linnet::tool
