#include "run/runner.h"

#include <algorithm>

#include "run/report_node.h"
#include "tensor/alignment.h"
#include "tensor/held_bytes.h"

namespace linnet {
namespace {

bool is_view(const Plan& plan, const Step& step) {
  return std::all_of(step.outputs.begin(), step.outputs.end(),
                     [&](int slot) { return slot < 0 || plan.slots[size_t(slot)].kind == Slot::Kind::kView; });
}

}  // namespace

class Runner::StepContext final : public KernelContext {
 public:
  StepContext(Runner& runner, size_t index, RunEnvironment& environment)
      : runner_(runner), step_(runner.plan_->steps[index]), index_(index), environment_(environment) {}

  const Tensor& input(int i) const override {
    static const Tensor absent;
    if (i >= int(step_.inputs.size()) || step_.inputs[size_t(i)] < 0) return absent;
    return runner_.slots_[size_t(step_.inputs[size_t(i)])];
  }
  Tensor& output(int i) override { return runner_.slots_[output_slot(i)]; }
  Tensor& allocate_output(int i, const Shape& shape) override {
    const DType dtype = runner_.plan_->slots[output_slot(i)].dtype;
    environment_.check_memory(dtype_bytes(dtype, shape.elements()));
    return output(i) = checked(i, Tensor(dtype, shape));
  }
  void set_output(int i, const Tensor& value) override {
    if (given(i)) output(i) = checked(i, value);
  }
  std::byte* scratch(int worker) override {
    return static_cast<std::byte*>(runner_.scratch_.raw()) + size_t(worker) * aligned(runner_.plan_->scratch_bytes);
  }
  KernelState* state() override { return runner_.states_[index_].get(); }
  Executor& executor() override { return environment_.executor(); }
  RunEnvironment& environment() override { return environment_; }

 private:
  bool given(int i) const { return i < int(step_.outputs.size()) && step_.outputs[size_t(i)] >= 0; }
  size_t output_slot(int i) const {
    if (!given(i)) throw_output_omitted(i);
    return size_t(step_.outputs[size_t(i)]);
  }
  // Kernels behind this one were compiled for the inferred fact.
  const Tensor& checked(int i, const Tensor& value) const {
    const Fact& fact = runner_.plan_->graph.fact(step_.node->outputs[size_t(i)]);
    if (!fits(fact, value)) {
      throw Error(ErrorKind::kShape, str("output ", i, " should be ", fact, " but is ", describe(value)));
    }
    return value;
  }

  Runner& runner_;
  const Step& step_;
  size_t index_;
  RunEnvironment& environment_;
};

std::span<const Tensor> Runner::run(std::span<const Tensor> inputs, RunEnvironment& environment) {
  bind(inputs, environment);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = plan_->slots[i];
    if (slot.kind == Slot::Kind::kInput) slots_[i] = inputs[size_t(slot.index)];
  }
  for (size_t i = 0; i < plan_->steps.size(); ++i) {
    environment.check();
    run_step(i, environment);
  }
  collect_outputs(environment);
  return outputs_;
}

void Runner::bind(std::span<const Tensor> inputs, RunEnvironment& environment) {
  if (!plan_ || !plan_->accepts(inputs)) {
    plan_ = nullptr;
    plan_ = program_->plan_for(inputs, &environment);
    arena_ = {};
    rest_ = nullptr;
  }
  const auto scratch =
      size_t(checked_mul(int64_t(aligned(plan_->scratch_bytes)), int64_t{environment.executor().workers()}));
  environment.check_memory(plan_->arena_bytes + plan_->state_bytes + scratch);
  if (!arena_) bind_slots();
  if (!scratch_ || scratch_.bytes() < scratch) scratch_ = Tensor(DType::kUint8, {int64_t(scratch)});
}

void Runner::bind_slots() {
  states_.clear();
  for (const Step& step : plan_->steps) states_.push_back(step.kernel ? step.kernel->make_state() : nullptr);
  arena_ = Tensor(DType::kUint8, {int64_t(plan_->arena_bytes)});
  slots_.assign(plan_->slots.size(), {});
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = plan_->slots[i];
    if (slot.kind == Slot::Kind::kConstant) slots_[i] = slot.constant;
    if (slot.kind == Slot::Kind::kOwned) slots_[i] = Tensor(slot.dtype, slot.shape);
    if (slot.kind == Slot::Kind::kArena) {
      slots_[i] = Tensor::wrap(slot.dtype, slot.shape, static_cast<std::byte*>(arena_.raw()) + slot.offset);
    }
  }
  outputs_.assign(plan_->outputs.size(), {});
  rest_inputs_.assign(plan_->rest_inputs.size(), {});
  if (plan_->rest) rest_ = std::make_unique<Runner>(plan_->rest);
}

void Runner::run_step(size_t index, RunEnvironment& environment) {
  const Step& step = plan_->steps[index];
  if (!step.kernel) {
    copy_elements(slots_[size_t(step.inputs[0])], slots_[size_t(step.outputs[0])]);
    return;
  }
  for (const int output : step.outputs) {
    if (output < 0 || plan_->slots[size_t(output)].kind != Slot::Kind::kView) continue;
    const Slot& slot = plan_->slots[size_t(output)];
    slots_[size_t(output)] = slots_[size_t(slot.index)].reshaped(slot.shape);
  }
  if (!is_view(*plan_, step)) run_kernel(index, environment);
}

void Runner::run_kernel(size_t index, RunEnvironment& environment) {
  const Step& step = plan_->steps[index];
  StepContext context(*this, index, environment);
  const auto begin = environment.observer() ? Observer::Clock::now() : Observer::Clock::time_point();
  with_node_context(step.node->spec, [&] {
    step.kernel->run(context);
    if (environment.limits_memory()) check_objects(step, environment);
  });
  if (environment.observer()) report_node(*environment.observer(), step, slots_, begin);
}

// Strings and containers have no planned size.
void Runner::check_objects(const Step& step, const RunEnvironment& environment) const {
  for (const int output : step.outputs) {
    if (output < 0 || !is_object(plan_->slots[size_t(output)].dtype)) continue;
    environment.check_memory(held_bytes(slots_[size_t(output)]));
  }
}

void Runner::collect_outputs(RunEnvironment& environment) {
  std::span<const Tensor> rest;
  if (rest_) {
    for (size_t i = 0; i < rest_inputs_.size(); ++i) rest_inputs_[i] = slots_[size_t(plan_->rest_inputs[i])];
    rest = rest_->run(rest_inputs_, environment);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Plan::Output& output = plan_->outputs[i];
    outputs_[i] = output.slot >= 0 ? slots_[size_t(output.slot)] : rest[size_t(output.rest_output)];
  }
}

size_t Runner::arena_bytes() const { return (plan_ ? plan_->arena_bytes : 0) + (rest_ ? rest_->arena_bytes() : 0); }

size_t Runner::scratch_bytes() const {
  return (scratch_ ? scratch_.bytes() : 0) + (plan_ ? plan_->state_bytes : 0) + (rest_ ? rest_->scratch_bytes() : 0);
}

}  // namespace linnet
