#include "run/run_memory.h"

#include <algorithm>

#include "plan/place_slots.h"
#include "tensor/held_bytes.h"

namespace linnet {
namespace {

/// The size of each guard around the tensor of a slot.
size_t guard_bytes(const Plan& plan, const Slot& slot) {
  return plan.guarded && !is_object(slot.dtype) ? kGuardBytes : 0;
}

/// The size of the block of an owned slot; 0 for objects, whose block has no size.
size_t block_bytes(const Plan& plan, const Slot& slot) {
  if (is_object(slot.dtype)) return 0;
  const auto bytes = int64_t(dtype_bytes(slot.dtype, slot.shape.elements()));
  return size_t(checked_add(bytes, checked_mul(2, int64_t(guard_bytes(plan, slot)))));
}

void check_given(const std::string& name, const Tensor& given, DType dtype, const Shape& shape) {
  if (given.dtype() == dtype && given.shape() == shape) return;
  throw Error(given.dtype() == dtype ? ErrorKind::kShape : ErrorKind::kType,
              str("output '", name, "' is ", Fact(dtype, shape), ", the memory for it is ", describe(given)));
}

}  // namespace

RunMemory::RunMemory(const Plan& plan, RunBlocks& blocks, const RunEnvironment& environment)
    : slots(plan.slots.size()),
      outputs(plan.outputs.size()),
      blocks_(blocks),
      given_(plan.outputs.size()),
      behind_(plan.outputs.size()) {
  RunBlocks::reserve(blocks.arena, plan.arena_bytes, environment);
  const auto owns = [&](size_t i) { return plan.slots[i].kind == Slot::Kind::kOwned && plan.slots[i].index == int(i); };
  size_t count = 0;
  for (size_t i = 0; i < slots.size(); ++i) count += owns(i) ? 1 : 0;
  blocks.owned.resize(count);
  for (size_t i = 0, owned = 0; i < slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind == Slot::Kind::kConstant) slots[i] = *slot.constant;
    if (owns(i)) owned_[int(i)] = {.block = &blocks.owned[owned++], .bytes = block_bytes(plan, slot)};
    if (slot.kind == Slot::Kind::kDynamic) dynamic_.emplace(int(i), int(dynamic_.size()));
    if (slot.kind == Slot::Kind::kArena) {
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, static_cast<std::byte*>(blocks.arena.raw()) + slot.offset);
    }
  }
  renew(plan, environment);
}

void RunMemory::renew(const Plan& plan, const RunEnvironment& environment) {
  for (auto& [index, owned] : owned_) {
    const Slot& slot = plan.slots[size_t(index)];
    if (is_object(slot.dtype)) {
      owned.block->renew_objects(slot.dtype, slot.shape, environment);
    } else {
      owned.block->renew(owned.bytes, environment);
    }
  }
}

bool RunMemory::is_read(size_t output, const Plan& plan, std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (int(i) != plan.outputs[output].over_input && overlap(given_[output], inputs[i])) return true;
  }
  return false;
}

void RunMemory::take_given(const Plan& plan, std::span<const Tensor> inputs) {
  for (size_t i = 0; i < given_.size(); ++i) behind_[i] = given_[i] && is_read(i, plan, inputs);
  for (size_t i = 0; i < given_.size(); ++i) {
    const Plan::Output& output = plan.outputs[i];
    if (!given_[i] || output.slot < 0) continue;
    const Slot& slot = plan.slots[size_t(output.slot)];
    if (slot.kind != Slot::Kind::kDynamic) check_given(plan.graph.outputs()[i].name, given_[i], slot.dtype, slot.shape);
    const auto sharers = std::count_if(plan.outputs.begin(), plan.outputs.end(),
                                       [&](const Plan::Output& other) { return other.owner == output.owner; });
    if (output.owner >= 0 && sharers == 1 && !plan.guarded && !behind_[i])
      owned_.at(output.owner).given = given_[i].raw();
  }
}

void RunMemory::begin_run(const Plan& plan, std::span<const Tensor> inputs, std::span<const Tensor> given,
                          const RunEnvironment& environment) {
  std::fill(outputs.begin(), outputs.end(), Tensor());
  std::fill(std::copy(given.begin(), given.end(), given_.begin()), given_.end(), Tensor());
  for (auto& [index, owned] : owned_) owned.given = nullptr;
  renew(plan, environment);
  take_given(plan, inputs);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind == Slot::Kind::kInput) {
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, const_cast<void*>(inputs[size_t(slot.index)].raw()));
    }
    if (slot.kind == Slot::Kind::kOwned) {
      const Owned& owned = owned_.at(slot.index);
      auto* own = static_cast<std::byte*>(owned.block->current->raw()) + guard_bytes(plan, slot);
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, owned.given ? owned.given : own);
    }
    if (slot.kind == Slot::Kind::kDynamic || slot.kind == Slot::Kind::kView) slots[i] = {};
  }
}

Tensor RunMemory::given(const Plan& plan, int slot) const {
  for (size_t i = 0; i < given_.size() && !plan.guarded; ++i) {
    if (given_[i] && plan.outputs[i].slot == slot) return behind_[i] ? Tensor() : given_[i];
  }
  return {};
}

Tensor RunMemory::dynamic(const Plan& plan, int slot, DType dtype, const Shape& shape,
                          const RunEnvironment& environment) {
  constexpr size_t kSmall = size_t{64} << 10;  // smaller blocks are as fast to allocate
  if (plan.guarded || is_object(dtype)) return environment.allocate(dtype, shape);
  if (const Tensor to = given(plan, slot); to.dtype() == dtype && to.shape() == shape) return to;
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  if (bytes < kSmall) return environment.allocate(dtype, shape);
  RunBlocks::Output& kept = blocks_.dynamic[dynamic_.at(slot)];
  kept.renew(bytes, environment);
  return Tensor::share(dtype, shape, kept.current->raw(), kept.current);
}

void RunMemory::count_objects(const Plan& plan, int slot) const {
  const Slot& of = plan.slots[size_t(slot)];
  count_held(of.kind == Slot::Kind::kOwned ? *owned_.at(of.index).block->current : slots[size_t(slot)]);
}

void RunMemory::separate(std::vector<Tensor>& values) const {
  const auto is_lost = [&](size_t value) {
    for (size_t i = 0; i < given_.size(); ++i) {
      if (i != value && behind_[i] && overlap(given_[i], values[value])) return true;
    }
    return false;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_lost(i)) values[i] = values[i].clone();
  }
}

void RunMemory::collect_outputs(const Plan& plan, std::span<const Tensor> rest_values) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Plan::Output& output = plan.outputs[i];
    outputs[i] = output.slot < 0 ? rest_values[size_t(output.rest_value)] : slots[size_t(output.slot)];
  }
  if (std::find(behind_.begin(), behind_.end(), true) != behind_.end()) separate(outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& value = outputs[i];
    const int owner = plan.outputs[i].owner;
    if (given_[i]) {
      check_given(plan.graph.outputs()[i].name, given_[i], value.dtype(), value.shape());
      if (given_[i].raw() != value.raw()) copy_elements(value, given_[i]);
      value = given_[i];
    } else if (owner >= 0) {
      value = Tensor::share(value.dtype(), value.shape(), value.raw(), owned_.at(owner).block->current);
    }
  }
  std::fill(given_.begin(), given_.end(), Tensor());
}

}  // namespace linnet
