#include "controlflow/program_kernel.h"

#include <algorithm>

#include "run/runner.h"

namespace linnet {
namespace {

struct ProgramState final : KernelState {
  ProgramState(const std::shared_ptr<Program>& program, size_t inputs, size_t outputs)
      : runner(program), values(inputs), given(outputs) {}
  Runner runner;
  std::vector<Tensor> values, given;
};

class ProgramKernel final : public Kernel {
 public:
  ProgramKernel(std::shared_ptr<Program> program, std::vector<int> inputs, std::vector<int> outputs)
      : program_(std::move(program)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<ProgramState&>(*context.state());
    for (size_t i = 0; i < inputs_.size(); ++i) state.values[i] = context.input(inputs_[i]);
    RunContext& run = run_context(context);
    for (size_t i = 0; i < outputs_.size(); ++i) state.given[i] = run.given_output(outputs_[i]);
    const std::span<const Tensor> outputs = state.runner.run(state.values, run.environment(), state.given);
    std::fill(state.given.begin(), state.given.end(), Tensor());
    for (size_t i = 0; i < outputs.size(); ++i) context.set_output(outputs_[i], outputs[i]);
  }
  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<ProgramState>(program_, inputs_.size(), outputs_.size());
  }
  size_t bytes() const override { return program_->bytes(); }
  std::string describe() const override { return "as a graph"; }

 private:
  std::shared_ptr<Program> program_;
  std::vector<int> inputs_, outputs_;
};

}  // namespace

KernelPtr make_program_kernel(std::shared_ptr<Program> program, std::vector<int> inputs, std::vector<int> outputs) {
  return std::make_unique<ProgramKernel>(std::move(program), std::move(inputs), std::move(outputs));
}

}  // namespace linnet
