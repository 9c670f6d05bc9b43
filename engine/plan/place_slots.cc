#include "plan/place_slots.h"

#include <algorithm>

#include "plan/memory_plan.h"

namespace linnet {
namespace {

size_t slot_bytes(const Slot& slot) { return dtype_bytes(slot.dtype, slot.shape.elements()); }

class SlotPlacer {
 public:
  explicit SlotPlacer(Plan& plan) : plan_(plan), storage_(plan.slots.size()), lifetimes_(plan.slots.size()) {
    for (size_t i = 0; i < storage_.size(); ++i) {
      const Slot& slot = plan.slots[i];
      storage_[i] = slot.kind == Slot::Kind::kView ? storage_[size_t(slot.index)] : int(i);
    }
  }

  void place() {
    find_lifetimes();
    for (size_t i = 0; i < plan_.nodes.size() && !plan_.guarded; ++i) write_in_place(int(i));
    keep_outputs();
    for (Plan::Output& output : plan_.outputs) output.over_input = overwritable_input(output.owner);
    std::vector<Lifetime> blocks;
    std::vector<int> owners;
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      if (plan_.slots[i].kind != Slot::Kind::kArena || storage_[i] != int(i)) continue;
      blocks.push_back(plan_.guarded ? guarded(lifetimes_[i]) : lifetimes_[i]);
      owners.push_back(int(i));
    }
    const MemoryPlan memory = plan_memory(blocks);
    const size_t guard = plan_.guarded ? kGuardBytes : 0;
    for (size_t i = 0; i < owners.size(); ++i) plan_.slots[size_t(owners[i])].offset = memory.offsets[i] + guard;
    for (size_t i = 0; i < plan_.slots.size(); ++i) plan_.slots[i].offset = plan_.slots[size_t(root(int(i)))].offset;
    plan_.arena_bytes = memory.total;
  }

 private:
  // Slots that share memory form chains of views and in-place outputs. The root owns the memory.
  int root(int slot) const {
    while (storage_[size_t(slot)] != slot) slot = storage_[size_t(slot)];
    return slot;
  }

  Lifetime guarded(const Lifetime& lifetime) const {
    return {size_t(checked_add(int64_t(lifetime.bytes), int64_t{kGuardBytes + kGuardBytes})), 0,
            int(plan_.nodes.size())};
  }

  void use(int slot, int node) {
    if (slot < 0) return;
    Lifetime& lifetime = lifetimes_[size_t(root(slot))];
    lifetime.last = std::max(lifetime.last, node);
  }

  void find_lifetimes() {
    const int end = int(plan_.nodes.size());
    for (int i = 0; i < end; ++i) {
      const PlannedNode& planned = plan_.nodes[size_t(i)];
      for (const int slot : planned.outputs) {
        if (slot < 0 || plan_.slots[size_t(slot)].kind != Slot::Kind::kArena) continue;
        lifetimes_[size_t(slot)] = {slot_bytes(plan_.slots[size_t(slot)]), i, i};
      }
      for (const int slot : planned.inputs) use(slot, i);
    }
    for (const Plan::Output& output : plan_.outputs) use(output.slot, end);
    for (const int slot : plan_.rest_inputs) use(slot, end);
  }

  void write_in_place(int index) {
    const PlannedNode& planned = plan_.nodes[size_t(index)];
    if (!planned.kernel) return;
    for (size_t o = 0; o < planned.outputs.size(); ++o) {
      const int input = planned.kernel->in_place(int(o));
      if (input >= 0 && may_share(planned, planned.outputs[o], input, index)) {
        share(planned.outputs[o], root(planned.inputs[size_t(input)]));
      }
    }
  }

  bool may_share(const PlannedNode& planned, int output, int input, int index) const {
    const int source = planned.inputs[size_t(input)];
    if (output < 0 || source < 0 || plan_.slots[size_t(output)].kind != Slot::Kind::kArena) return false;
    const int owner = root(source);
    if (!may_be_written(owner, output) || lifetimes_[size_t(owner)].last != index ||
        slot_bytes(plan_.slots[size_t(owner)]) != slot_bytes(plan_.slots[size_t(output)])) {
      return false;
    }
    // Another input may be the same value or a view of it, and be read after a part of it was written. Another output
    // may already use the memory.
    const auto owned = [&](int slot) { return slot >= 0 && root(slot) == owner; };
    const auto taken = [&](int slot) { return slot != output && owned(slot); };
    return std::count_if(planned.inputs.begin(), planned.inputs.end(), owned) == 1 &&
           std::none_of(planned.outputs.begin(), planned.outputs.end(), taken);
  }

  // Planned memory may be overwritten, and that of a state by the output that becomes the state.
  bool may_be_written(int owner, int output) const {
    const Slot& slot = plan_.slots[size_t(owner)];
    const auto becomes = [&](const Plan::State& state) {
      return int(state.input) == slot.index && plan_.outputs[state.output].slot == output;
    };
    return slot.kind == Slot::Kind::kArena ||
           (slot.kind == Slot::Kind::kInput && std::any_of(plan_.states.begin(), plan_.states.end(), becomes));
  }

  // The number of the input that may be overwritten by the kernel that first writes a slot, if nothing else reads that
  // input then or later; otherwise -1.
  int overwritable_input(int slot) const {
    for (size_t i = 0; slot >= 0 && i < plan_.nodes.size(); ++i) {
      const PlannedNode& planned = plan_.nodes[i];
      const auto found = std::find(planned.outputs.begin(), planned.outputs.end(), slot);
      if (found == planned.outputs.end() || !planned.kernel) continue;
      const int input = planned.kernel->in_place(int(found - planned.outputs.begin()));
      const int source = input >= 0 ? planned.inputs[size_t(input)] : -1;
      return source >= 0 && is_last_read(source, slot, int(i)) ? plan_.slots[size_t(root(source))].index : -1;
    }
    return -1;
  }

  bool is_last_read(int source, int output, int node) const {
    const int owner = root(source);
    const Slot& slot = plan_.slots[size_t(owner)];
    const std::vector<int>& inputs = plan_.nodes[size_t(node)].inputs;
    const auto owned = [&](int other) { return other >= 0 && root(other) == owner; };
    return slot.kind == Slot::Kind::kInput && lifetimes_[size_t(owner)].last == node &&
           slot_bytes(slot) == slot_bytes(plan_.slots[size_t(output)]) &&
           std::count_if(inputs.begin(), inputs.end(), owned) == 1;
  }

  // The memory of outputs, as that of strings and containers, belongs to the runner, because the caller may keep it.
  void keep_outputs() {
    for (Plan::Output& output : plan_.outputs) {
      if (output.slot < 0) continue;
      Slot& owner = plan_.slots[size_t(root(output.slot))];
      if (owner.kind == Slot::Kind::kArena) owner.kind = Slot::Kind::kOwned;
      if (owner.kind == Slot::Kind::kOwned) output.owner = root(output.slot);
    }
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      Slot& slot = plan_.slots[i];
      const int owner = root(int(i));
      if (slot.kind == Slot::Kind::kArena) slot.kind = plan_.slots[size_t(owner)].kind;
      if (slot.kind == Slot::Kind::kInput) slot.index = plan_.slots[size_t(owner)].index;
      if (slot.kind != Slot::Kind::kOwned) continue;
      slot.index = owner;
      if (owner == int(i))
        plan_.owned_bytes = size_t(checked_add(int64_t(plan_.owned_bytes), int64_t(slot_bytes(slot))));
    }
  }

  void share(int output, int owner) {
    storage_[size_t(output)] = owner;
    lifetimes_[size_t(owner)].last = std::max(lifetimes_[size_t(owner)].last, lifetimes_[size_t(output)].last);
  }

  Plan& plan_;
  std::vector<int> storage_;
  std::vector<Lifetime> lifetimes_;
};

}  // namespace

void place_slots(Plan& plan) { SlotPlacer(plan).place(); }

}  // namespace linnet
