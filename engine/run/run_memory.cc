#include "run/run_memory.h"

#include <algorithm>

namespace linnet {
void RunMemory::Owned::renew(const Slot& slot) {
  if (current.use_count() > 1) std::swap(current, spare);
  if (!current || current.use_count() > 1) current = std::make_shared<Tensor>(slot.dtype, slot.shape);
}

RunMemory::RunMemory(const Plan& plan)
    : slots(plan.slots.size()), outputs(plan.outputs.size()), arena_(DType::kUint8, {int64_t(plan.arena_bytes)}) {
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind == Slot::Kind::kConstant) slots[i] = slot.constant;
    if (slot.kind == Slot::Kind::kOwned && slot.index == int(i)) owned_[int(i)].renew(slot);
    if (slot.kind == Slot::Kind::kArena) {
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, static_cast<std::byte*>(arena_.raw()) + slot.offset);
    }
  }
}

void RunMemory::begin_run(const Plan& plan, std::span<const Tensor> inputs) {
  std::fill(outputs.begin(), outputs.end(), Tensor());
  for (auto& [slot, owned] : owned_) owned.renew(plan.slots[size_t(slot)]);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind == Slot::Kind::kInput) {
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, const_cast<void*>(inputs[size_t(slot.index)].raw()));
    }
    if (slot.kind == Slot::Kind::kOwned) {
      slots[i] = Tensor::wrap(slot.dtype, slot.shape, owned_.at(slot.index).current->raw());
    }
    if (slot.kind == Slot::Kind::kDynamic || slot.kind == Slot::Kind::kView) slots[i] = {};
  }
}

void RunMemory::collect_outputs(const Plan& plan, std::span<const Tensor> rest) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Plan::Output& output = plan.outputs[i];
    if (output.slot < 0) {
      outputs[i] = rest[size_t(output.rest_output)];
      continue;
    }
    Tensor& value = slots[size_t(output.slot)];
    outputs[i] = output.owner < 0
                     ? value
                     : Tensor::share(value.dtype(), value.shape(), value.raw(), owned_.at(output.owner).current);
  }
}

}  // namespace linnet
