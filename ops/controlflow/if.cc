#include <algorithm>
#include <array>
#include <optional>

#include "controlflow/body.h"
#include "infer/infer.h"
#include "registration.h"
#include "run/runner.h"

namespace linnet {
namespace {

struct IfState final : KernelState {
  IfState(const std::array<std::shared_ptr<Program>, 2>& branches, size_t captures, size_t outputs)
      : runners{Runner(branches[0]), Runner(branches[1])}, captured(captures), given(outputs) {}

  std::array<Runner, 2> runners;
  std::vector<Tensor> captured, given;
};

class IfKernel final : public Kernel {
 public:
  IfKernel(std::array<std::shared_ptr<Program>, 2> branches, size_t captures, size_t outputs)
      : branches_(std::move(branches)), captures_(captures), outputs_(outputs) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<IfState&>(*context.state());
    for (size_t i = 0; i < captures_; ++i) state.captured[i] = context.input(1 + int(i));
    RunContext& run = run_context(context);
    for (size_t i = 0; i < outputs_; ++i) state.given[i] = run.given_output(int(i));
    Runner& runner = state.runners[single_bool(context.input(0), "cond") ? 0 : 1];
    const std::span<const Tensor> outputs = runner.run(state.captured, run.environment(), state.given);
    std::fill(state.given.begin(), state.given.end(), Tensor());
    for (size_t i = 0; i < outputs.size(); ++i) context.set_output(int(i), outputs[i]);
  }

  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<IfState>(branches_, captures_, outputs_);
  }
  size_t bytes() const override { return branches_[0]->bytes() + branches_[1]->bytes(); }

 private:
  std::array<std::shared_ptr<Program>, 2> branches_;
  size_t captures_, outputs_;
};

/// If: the outputs of then_branch if cond holds, else those of else_branch.
/// - cond: bool with one element
/// - branches: the same number of outputs of the same dtypes; shapes may differ
/// Source: https://onnx.ai/onnx/operators/onnx__If.html
class If final : public Op {
 public:
  explicit If(const NodeSpec& node)
      : branches_{node.attr<GraphPtr>("then_branch"), node.attr<GraphPtr>("else_branch")},
        captures_(size_t(node.captures)) {
    for (const GraphPtr& branch : branches_) require_body(*branch, captures_, size_t(node.num_outputs), "branch");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1 + int(captures_));
    require_dtype(in[0], DType::kBool, "cond");
    const std::span<const Fact> captured = in.subspan(1);
    if (in[0].constant) return body_facts(*branches_[single_bool(in[0].constant, "cond") ? 0 : 1], captured);
    std::optional<Error> first_error, second_error;
    const auto first = branch_facts(0, captured, first_error), second = branch_facts(1, captured, second_error);
    if (!first && !second) throw *first_error;
    if (!first || !second) return opened(first ? *first : *second);
    std::vector<Fact> facts;
    for (size_t i = 0; i < first->size(); ++i) facts.push_back(generalize((*first)[i], (*second)[i]));
    return facts;
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<IfKernel>(std::array{body_program(branches_[0], in), body_program(branches_[1], in)},
                                      captures_, branches_[0]->outputs().size());
  }
  bool accepts_containers() const override { return true; }

 private:
  // A branch that does not fit the given shapes is an error only if it is taken. Each is inferred only once, because a
  // second time would double the work at every depth of nested branches.
  std::optional<std::vector<Fact>> branch_facts(size_t branch, std::span<const Fact> captured,
                                                std::optional<Error>& error) const {
    try {
      return body_facts(*branches_[branch], captured);
    } catch (const Error& e) {
      error = e;
      return std::nullopt;
    }
  }

  static std::vector<Fact> opened(const std::vector<Fact>& facts) {
    std::vector<Fact> result;
    for (const Fact& fact : facts) result.push_back(without_shape(fact));
    return result;
  }

  std::array<GraphPtr, 2> branches_;
  size_t captures_;
};

}  // namespace

LINNET_REGISTER(if)(Registry& r) { r.add<If>("If"); }

}  // namespace linnet
