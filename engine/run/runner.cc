#include "run/runner.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "environment/run_environment.h"
#include "graph/reads_any_bool.h"
#include "plan/plan.h"
#include "run/memory_guard.h"
#include "run/run_memory.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Reports a node that ran from `begin` until now to the observer. `values` is memory for this.
void report_node(Observer& observer, const PlannedNode& planned, const std::vector<Tensor>& slots,
                 Observer::Clock::time_point begin, std::vector<const Tensor*>& values) {
  const auto end = Observer::Clock::now();
  static const Tensor absent;
  values.clear();
  for (const auto* indices : {&planned.inputs, &planned.outputs}) {
    for (const int index : *indices) values.push_back(index < 0 ? &absent : &slots[size_t(index)]);
  }
  const std::span<const Tensor* const> all(values);
  observer.on_node({planned.node->spec, *planned.node->op, *planned.kernel, all.first(planned.inputs.size()),
                    all.last(planned.outputs.size()), begin, end});
}

bool is_view(const Plan& plan, const PlannedNode& planned) {
  return std::all_of(planned.outputs.begin(), planned.outputs.end(),
                     [&](int slot) { return slot < 0 || plan.slots[size_t(slot)].kind == Slot::Kind::kView; });
}

/// Whether the node reads every byte of its bool input `i` other than 0 as true, and does not pass it on.
bool reads_any_bool(const PlannedNode& planned, int i) {
  const auto* op = planned.node ? dynamic_cast<const ReadsAnyBool*>(planned.node->op.get()) : nullptr;
  if (!op || !op->reads_any_bool(i)) return false;
  for (int output = 0; output < int(planned.outputs.size()); ++output) {
    if (planned.kernel->view(output) == i) return false;
  }
  return true;
}

/// By input of the plan: whether all its readers are ReadsAnyBool.
std::vector<bool> any_bools(const Plan& plan) {
  std::vector<bool> any(plan.inputs.size(), true);
  const auto clear = [&](int index) {
    if (index < 0 || plan.slots[size_t(index)].kind != Slot::Kind::kInput) return;
    any[size_t(plan.slots[size_t(index)].index)] = false;
  };
  for (const PlannedNode& planned : plan.nodes) {
    for (int i = 0; i < int(planned.inputs.size()); ++i) {
      if (!reads_any_bool(planned, i)) clear(planned.inputs[size_t(i)]);
    }
  }
  for (const int slot : plan.rest_inputs) clear(slot);
  return any;
}

}  // namespace

struct Runner::Memory : RunMemory {
  Memory(const Plan& plan, RunBlocks& blocks, const RunEnvironment& environment)
      : RunMemory(plan, blocks, environment), any_bools(linnet::any_bools(plan)) {
    states.resize(plan.nodes.size());
    for (const Plan::Rest& rest : plan.rests) rests.emplace_back(rest.program);
    if (plan.guarded) guard = std::make_unique<MemoryGuard>(plan);
  }

  std::vector<std::unique_ptr<KernelState>> states;
  std::vector<Tensor> rest_values, rest_inputs;  // numbered as in Plan::Rest; those of one rest
  std::vector<const Tensor*> observed;           // the values of the node that is reported
  std::vector<Runner> rests;
  std::vector<bool> any_bools;         // see Runner::reads_any_bool()
  std::unique_ptr<MemoryGuard> guard;  // only for guarded plans
};

Runner::Runner(std::shared_ptr<Program> program) : program_(std::move(program)) {}
Runner::~Runner() = default;
Runner::Runner(Runner&&) noexcept = default;

class Runner::PlannedNodeContext final : public RunContext {
 public:
  PlannedNodeContext(Runner& runner, size_t index, RunEnvironment& environment)
      : RunContext(environment), runner_(runner), planned_(runner.plan_->nodes[index]), index_(index) {}

  const Tensor& input(int i) const override {
    static const Tensor absent;
    if (i >= int(planned_.inputs.size()) || planned_.inputs[size_t(i)] < 0) return absent;
    return runner_.memory_->slots[size_t(planned_.inputs[size_t(i)])];
  }
  Tensor& output(int i) override { return runner_.memory_->slots[output_slot(i)]; }
  Tensor& allocate_output(int i, const Shape& shape) override {
    const DType dtype = runner_.plan_->slots[output_slot(i)].dtype;
    check_memory(dtype_bytes(dtype, shape.elements()));
    RunMemory& memory = *runner_.memory_;
    return output(i) = checked(i, memory.dynamic(*runner_.plan_, int(output_slot(i)), dtype, shape, environment()));
  }
  void set_output(int i, const Tensor& value) override {
    if (has_output(i)) output(i) = checked(i, value);
  }
  std::byte* scratch(int worker) override {
    return static_cast<std::byte*>(runner_.blocks_->scratch.raw()) +
           size_t(worker) * aligned(runner_.plan_->scratch_bytes);
  }
  KernelState* state() override { return runner_.memory_->states[index_].get(); }
  Tensor given_output(int i) const override {
    return has_output(i) ? runner_.memory_->given(*runner_.plan_, int(output_slot(i))) : Tensor();
  }

 private:
  bool has_output(int i) const { return i < int(planned_.outputs.size()) && planned_.outputs[size_t(i)] >= 0; }
  size_t output_slot(int i) const {
    if (!has_output(i)) throw_output_omitted(i);
    return size_t(planned_.outputs[size_t(i)]);
  }
  // Kernels after this one were compiled for the inferred fact.
  const Tensor& checked(int i, const Tensor& value) const {
    const Fact& fact = runner_.plan_->graph.fact(planned_.node->outputs[size_t(i)]);
    if (!fits(fact, value)) {
      throw Error(ErrorKind::kShape, str("output ", i, " should be ", fact, " but is ", describe(value)));
    }
    return value;
  }

  Runner& runner_;
  const PlannedNode& planned_;
  size_t index_;
};

void Runner::prepare(std::span<const Tensor> inputs, RunEnvironment& environment) {
  program_->check_plannable(inputs);
  bind(inputs, environment);
}

std::span<const Tensor> Runner::run(std::span<const Tensor> inputs, RunEnvironment& environment,
                                    std::span<const Tensor> given) {
  bind(inputs, environment);
  memory_->rest_values.clear();
  memory_->rest_inputs.clear();
  memory_->begin_run(*plan_, inputs, given, environment);
  if (memory_->guard) memory_->guard->begin_run(memory_->slots);
  for (size_t i = 0; i < plan_->nodes.size(); ++i) {
    environment.check();
    run_node(i, environment);
  }
  run_rests(environment);
  memory_->collect_outputs(*plan_, memory_->rest_values);
  return memory_->outputs;
}

std::span<const Tensor> Runner::outputs() const {
  return memory_ ? std::span<const Tensor>(memory_->outputs) : std::span<const Tensor>();
}

bool Runner::reads_any_bool(std::span<const Tensor> inputs, size_t i) const {
  return memory_ && plan_->accepts(inputs) && memory_->any_bools[i];
}

void Runner::bind(std::span<const Tensor> inputs, RunEnvironment& environment) {
  std::shared_ptr<const Plan> before;
  std::unique_ptr<Memory> left;
  if (!plan_ || !plan_->accepts(inputs)) {
    before = std::exchange(plan_, nullptr);
    left = std::exchange(memory_, nullptr);
    if (environment.account() || (before && before->guarded)) drop(left);
    plan_ = program_->plan_for(inputs, &environment);
  }
  const auto scratch =
      size_t(checked_mul(int64_t(aligned(plan_->scratch_bytes)), int64_t{environment.executor().workers()}));
  environment.check_memory(plan_->arena_bytes + plan_->owned_bytes + plan_->state_bytes + scratch);
  if (!memory_) memory_ = new_memory(before.get(), std::move(left), environment);
  RunBlocks::reserve(blocks_->scratch, scratch, environment);
}

// Frees the memory of earlier plans, so that earlier runs do not affect whether a run exceeds a memory limit.
void Runner::drop(std::unique_ptr<Memory>& left) {
  left = nullptr;
  *blocks_ = {.scratch = blocks_->scratch};
}

// Reuses the memory of the previous plan and the states of kernels that both plans have.
std::unique_ptr<Runner::Memory> Runner::new_memory(const Plan* before, std::unique_ptr<Memory> left,
                                                   RunEnvironment& environment) {
  std::map<const Kernel*, std::unique_ptr<KernelState>> states;
  if (left) {
    for (size_t i = 0; i < left->states.size(); ++i) {
      if (left->states[i]) states[before->nodes[i].kernel.get()] = std::move(left->states[i]);
    }
    blocks_->rests.clear();
    for (Runner& rest : left->rests) blocks_->rests.push_back(std::move(*rest.blocks_));
    left = nullptr;
  }
  auto memory = std::make_unique<Memory>(*plan_, *blocks_, environment);
  for (size_t i = 0; i < memory->states.size(); ++i) {
    const auto& kernel = plan_->nodes[i].kernel;
    const auto known = states.find(kernel.get());
    if (known != states.end()) {
      memory->states[i] = std::move(known->second);
      states.erase(known);
    } else if (kernel) {
      memory->states[i] = kernel->make_state();
    }
  }
  for (size_t i = 0; i < std::min(memory->rests.size(), blocks_->rests.size()); ++i) {
    *memory->rests[i].blocks_ = std::move(blocks_->rests[i]);
  }
  blocks_->rests.clear();
  return memory;
}

void Runner::run_node(size_t index, RunEnvironment& environment) {
  const PlannedNode& planned = plan_->nodes[index];
  std::vector<Tensor>& slots = memory_->slots;
  if (!planned.kernel) {
    copy_elements(slots[size_t(planned.inputs[0])], slots[size_t(planned.outputs[0])]);
    return;
  }
  for (const int output : planned.outputs) {
    if (output < 0 || plan_->slots[size_t(output)].kind != Slot::Kind::kView) continue;
    const Slot& slot = plan_->slots[size_t(output)];
    slots[size_t(output)] = slots[size_t(slot.index)].reshaped(slot.shape);
  }
  if (is_view(*plan_, planned)) return;
  if (memory_->guard) memory_->guard->begin_node(blocks_->scratch);
  run_kernel(index, environment);
}

void Runner::run_kernel(size_t index, RunEnvironment& environment) {
  const PlannedNode& planned = plan_->nodes[index];
  PlannedNodeContext context(*this, index, environment);
  const auto begin = environment.observer() ? Observer::Clock::now() : Observer::Clock::time_point();
  with_node_context(planned.node->spec, [&] {
    {
      const RunEnvironment::Texts texts(environment);
      planned.kernel->run(context);
    }
    if (planned.gives_objects && environment.account()) count_objects(planned);
  });
  if (environment.observer()) {
    report_node(*environment.observer(), planned, memory_->slots, begin, memory_->observed);
  }
  if (memory_->guard) {
    with_node_context(planned.node->spec, [&] { memory_->guard->end_node(index, memory_->slots, blocks_->scratch); });
  }
}

void Runner::count_objects(const PlannedNode& planned) const {
  for (const int output : planned.outputs) {
    if (output >= 0) memory_->count_objects(*plan_, output);
  }
}

void Runner::run_rests(RunEnvironment& environment) {
  std::vector<Tensor>&values = memory_->rest_values, &inputs = memory_->rest_inputs;
  for (const int slot : plan_->rest_inputs) values.push_back(memory_->slots[size_t(slot)]);
  for (size_t i = 0; i < memory_->rests.size(); ++i) {
    inputs.clear();
    for (const int value : plan_->rests[i].inputs) inputs.push_back(values[size_t(value)]);
    const std::span<const Tensor> outputs = memory_->rests[i].run(inputs, environment);
    values.insert(values.end(), outputs.begin(), outputs.end());
  }
}

size_t Runner::arena_bytes() const {
  size_t bytes = plan_ ? plan_->arena_bytes + plan_->owned_bytes : 0;
  if (memory_) {
    for (const Runner& rest : memory_->rests) bytes += rest.arena_bytes();
  }
  return bytes;
}

size_t Runner::scratch_bytes() const {
  size_t bytes = (blocks_->scratch ? blocks_->scratch.bytes() : 0) + (plan_ ? plan_->state_bytes : 0);
  if (memory_) {
    for (const Runner& rest : memory_->rests) bytes += rest.scratch_bytes();
  }
  return bytes;
}

}  // namespace linnet
