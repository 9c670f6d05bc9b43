#include "plan/plan.h"

#include <algorithm>
#include <map>

#include "environment/run_environment.h"
#include "passes/pending_nodes.h"
#include "plan/add_rests.h"
#include "plan/place_slots.h"
#include "plan/plan_kernels.h"
#include "plan/program.h"
#include "tensor/held_bytes.h"

namespace linnet {
namespace {

constexpr size_t kPlannedNodeBytes = sizeof(PlannedNode) + 64;  // with its lists of slots

Slot::Kind planned_kind(DType dtype) { return is_object(dtype) ? Slot::Kind::kOwned : Slot::Kind::kArena; }

/// By value: whether one of the nodes computes it.
std::vector<bool> computed_by(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<bool> computed(size_t(graph.value_count()), false);
  for (const NodeId id : nodes) {
    for (const ValueId v : graph.node(id).outputs) {
      if (v != kNoValue) computed[size_t(v)] = true;
    }
  }
  return computed;
}

class PlanBuilder {
 public:
  PlanBuilder(Graph specialized, std::vector<PlanInput> inputs, std::shared_ptr<const ModelResources> resources,
              const PlanOptions& options)
      : resources_(std::move(resources)),
        options_(options),
        plan_(std::make_shared<Plan>(std::move(specialized))),
        pending_(pending_nodes(graph())),
        slot_of_(size_t(graph().value_count()), -1),
        planned_(size_t(graph().value_count()), false),
        computed_(computed_by(graph(), pending_)),
        kernels_(*plan_, computed_, resources_, options_) {
    plan_->inputs = std::move(inputs);
    plan_->guarded = resources_->options.guard_memory;
    plan_->states = options_.states;
  }

  std::shared_ptr<const Plan> build() {
    for (size_t i = 0; i < graph().inputs().size(); ++i) add_input(graph().inputs()[i], int(i));
    std::vector<NodeId> to_run;
    for (const NodeId id : pending_) {
      const Node& node = graph().node(id);
      if (!ready(node)) {
        waiting_.push_back(id);
        continue;
      }
      for (const ValueId v : node.outputs) set_planned(v);
      if (no_elements(output_facts(graph(), node))) {
        add_empty_slots(node);
      } else {
        to_run.push_back(id);
      }
    }
    check_values(to_run);
    kernels_.compile(to_run);
    for (const NodeId id : to_run) add_node(graph().node(id));
    add_outputs();
    count_rows();
    if (!waiting_.empty()) {
      check_progress();
      add_rests(
          *plan_, waiting_, [this](ValueId value) { return slot(value); }, resources_);
    }
    plan_->slots.shrink_to_fit();
    plan_->nodes.shrink_to_fit();
    place_slots(*plan_);
    if (plan_->guarded) plan_->scratch_bytes += kGuardBytes;
    const auto counted = std::make_shared<CountedMemory>();
    counted->add(plan_->own_bytes() + kernels_.bytes());
    plan_->counted = counted;
    return plan_;
  }

 private:
  const Graph& graph() const { return plan_->graph; }

  int add_slot(Slot slot) {
    plan_->slots.push_back(std::move(slot));
    return int(plan_->slots.size()) - 1;
  }

  void add_input(ValueId value, int index) {
    const Fact& fact = graph().fact(value);
    slot_of_[size_t(value)] =
        add_slot({.kind = Slot::Kind::kInput, .dtype = fact.dtype, .shape = fact.shape(), .index = index});
    set_planned(value);
  }

  void set_planned(ValueId value) {
    if (value != kNoValue) planned_[size_t(value)] = true;
  }

  /// Counts the rows that are written after those of states.
  void count_rows() {
    for (Plan::State& state : plan_->states) {
      const Node* node = graph().producer(graph().outputs()[state.output].value);
      if (!node || node->spec.op_type != "WriteRows" || node->inputs[0] != graph().inputs()[state.input]) continue;
      state.rows = graph().fact(node->inputs[1]).dim(state.axis).value();
    }
  }

  // The slot of a value that is available; constants get theirs on first use.
  int slot(ValueId value) {
    if (value == kNoValue) return -1;
    int& known = slot_of_[size_t(value)];
    const Fact& fact = graph().fact(value);
    if (known == -1 && (kernels_.is_constant(value) || kernels_.is_freed(value))) {
      known = add_slot({.kind = Slot::Kind::kConstant,
                        .dtype = fact.dtype,
                        .shape = fact.shape(),
                        .constant = kernels_.constant(value)});
      if (graph().value(value).producer != kNoValue) plan_->new_bytes += held_bytes(fact.constant);
    }
    return known;
  }

  bool ready(const Node& node) const {
    const auto known = [&](ValueId v) {
      return v == kNoValue || ((planned_[size_t(v)] || kernels_.is_constant(v)) && graph().fact(v).concrete());
    };
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), known)) return false;
    const std::vector<int> needed = node.op->value_inputs();
    return std::all_of(needed.begin(), needed.end(), [&](int i) {
      const Fact& fact = graph().input_fact(node, i);
      return !fact.present() || fact.constant;
    });
  }

  void add_empty_slots(const Node& node) {
    for (const ValueId v : node.outputs) {
      const Fact& fact = graph().fact(v);
      if (!fact.present()) continue;  // omitted, or an output that the operator does not have
      slot_of_[size_t(v)] = add_slot({.kind = planned_kind(fact.dtype), .dtype = fact.dtype, .shape = fact.shape()});
    }
  }

  // The bytes known ahead: 0 for containers and for dims that only the run determines.
  size_t value_bytes(ValueId value) const {
    const Fact& fact = graph().fact(value);
    return fact.concrete() && !is_container(fact.dtype) ? dtype_bytes(fact.dtype, fact.shape().elements()) : 0;
  }

  // Kernels may allocate memory for every element, so only values larger than those that they are made from are
  // checked. The others may be views.
  void check_values(const std::vector<NodeId>& nodes) const {
    const RunEnvironment* run = options_.run ? options_.run : RunEnvironment::current();
    if (!run) return;
    for (const NodeId id : nodes) {
      size_t read = 0;
      for (const ValueId v : graph().node(id).inputs) read = std::max(read, value_bytes(v));
      for (const ValueId v : graph().node(id).outputs) {
        if (value_bytes(v) > read) run->check_memory(value_bytes(v));
      }
    }
  }

  void add_node(const Node& node) {
    PlannedNode planned = kernels_.take(node.id);
    for (const ValueId v : node.inputs) planned.inputs.push_back(slot(v));
    for (size_t i = 0; i < node.outputs.size(); ++i) planned.outputs.push_back(add_output_slot(node, planned, int(i)));
    with_node_context(node.spec, [&] { count_memory(*planned.kernel); });
    plan_->nodes.push_back(std::move(planned));
  }

  void count_memory(const Kernel& kernel) {
    plan_->scratch_bytes = std::max(plan_->scratch_bytes, kernel.scratch_bytes());
    plan_->state_bytes = size_t(checked_add(int64_t(plan_->state_bytes), int64_t(kernel.state_bytes())));
  }

  int add_output_slot(const Node& node, PlannedNode& planned, int output) {
    const ValueId value = node.outputs[size_t(output)];
    if (value == kNoValue) return -1;
    const Fact& fact = graph().fact(value);
    planned.gives_objects |= is_object(fact.dtype);
    Slot slot{.dtype = fact.dtype};
    if (fact.concrete()) {
      slot.shape = fact.shape();
      const int source = planned.kernel->view(output);
      if (source >= 0) {
        slot.kind = Slot::Kind::kView;
        slot.index = planned.inputs[size_t(source)];
      } else if (!planned.kernel->provides_outputs()) {
        slot.kind = planned_kind(fact.dtype);
      }
    }
    return slot_of_[size_t(value)] = add_slot(std::move(slot));
  }

  void add_outputs() {
    for (const Graph::Output& output : graph().outputs()) {
      const int from = slot(output.value);
      plan_->outputs.push_back({from < 0 ? -1 : detached(from), -1});
    }
  }

  // Outputs never alias the caller's inputs, because a loop may pass them back while the memory is rewritten. Nor do
  // they alias a constant, because callers may write to their outputs and other runs read the constant.
  int detached(int from) {
    int root = from;
    while (plan_->slots[size_t(root)].kind == Slot::Kind::kView) root = plan_->slots[size_t(root)].index;
    const Slot::Kind kind = plan_->slots[size_t(root)].kind;
    if (kind != Slot::Kind::kInput && kind != Slot::Kind::kConstant) return from;
    const Slot& source = plan_->slots[size_t(from)];
    const int copy = add_slot({.kind = planned_kind(source.dtype), .dtype = source.dtype, .shape = source.shape});
    plan_->nodes.push_back({nullptr, nullptr, {from}, {copy}});
    return copy;
  }

  /// Whether some node waits for the contents of an input, because a rewrite for its shape made the node read it
  /// directly.
  bool waits_for_input() const {
    const std::vector<ValueId>& inputs = graph().inputs();
    return std::any_of(waiting_.begin(), waiting_.end(), [&](NodeId id) {
      const Node& node = graph().node(id);
      const std::vector<int> needed = node.op->value_inputs();
      return std::any_of(needed.begin(), needed.end(), [&](int i) {
        return i < int(node.inputs.size()) && !graph().input_fact(node, i).constant &&
               std::find(inputs.begin(), inputs.end(), node.inputs[size_t(i)]) != inputs.end();
      });
    });
  }

  void check_progress() const {
    if (waiting_.size() < pending_.size() || waits_for_input()) return;
    throw Error(ErrorKind::kInternal, str(graph().node(waiting_.front()).spec.describe(), " cannot be planned"));
  }

  std::shared_ptr<const ModelResources> resources_;
  const PlanOptions& options_;
  std::shared_ptr<Plan> plan_;
  std::vector<NodeId> pending_;
  std::vector<int> slot_of_;
  std::vector<bool> planned_;   // by value: an input, or computed by the plan
  std::vector<bool> computed_;  // by value: the output of a pending node
  PlanKernels kernels_;
  std::vector<NodeId> waiting_;
};

}  // namespace

bool PlanInput::accepts(const Tensor& tensor) const {
  return tensor.dtype() == dtype && tensor.shape() == shape && (!value || identical(value, tensor)) &&
         fits(type, tensor);
}

bool accept(const std::vector<PlanInput>& inputs, std::span<const Tensor> tensors) {
  return std::equal(inputs.begin(), inputs.end(), tensors.begin(), tensors.end(),
                    [](const PlanInput& input, const Tensor& tensor) { return input.accepts(tensor); });
}

size_t Plan::own_bytes() const {
  size_t own = sizeof(Plan) + slots.size() * sizeof(Slot);
  own += graph.own_bytes();
  own += size_t(checked_mul(std::ssize(nodes), kPlannedNodeBytes));
  for (const PlanInput& input : inputs) own += held_bytes(input.value);
  for (const Rest& rest : rests) own += rest.program->bytes();
  return own;
}

std::map<const void*, size_t> Plan::holdings() const {
  std::map<const void*, size_t> held;
  for (const PlannedNode& planned : nodes) {
    held.insert(planned.packed.begin(), planned.packed.end());
    if (planned.kernel) held[planned.kernel.get()] = kKernelBytes + planned.kernel->bytes();
  }
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Tensor& constant = graph.fact(id).constant;
    if (constant) held[constant.address()] = held_bytes(constant);
  }
  held[this] = own_bytes();
  return held;
}

std::shared_ptr<const Plan> make_plan(Graph graph, std::vector<PlanInput> inputs,
                                      const std::shared_ptr<const ModelResources>& resources,
                                      const PlanOptions& options) {
  return PlanBuilder(std::move(graph), std::move(inputs), resources, options).build();
}

}  // namespace linnet
