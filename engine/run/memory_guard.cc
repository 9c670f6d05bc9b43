#include "run/memory_guard.h"

#include <cstring>

#include "plan/place_slots.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr std::byte kNan{0xff};  // filling a value with this byte makes a NaN of every floating-point type

void fill(const void* begin, size_t bytes) {
  if (bytes > 0) std::memset(const_cast<void*>(begin), int(kNan), bytes);
}
/// Compares the first byte with the pattern and every other byte with the one before it.
bool filled(const std::byte* begin, size_t bytes) {
  return bytes == 0 || (*begin == kNan && std::memcmp(begin, begin + 1, bytes - 1) == 0);
}

bool owns_memory(const Slot& slot) {
  return (slot.kind == Slot::Kind::kArena || slot.kind == Slot::Kind::kOwned) && !is_object(slot.dtype);
}

const std::byte* begin_of(const Tensor& tensor) { return static_cast<const std::byte*>(tensor.raw()); }

}  // namespace

MemoryGuard::MemoryGuard(const Plan& plan) : plan_(plan), dead_at_(plan.nodes.size() + 1) {
  std::vector<int> root(plan.slots.size());
  std::vector<size_t> last(plan.slots.size(), 0);
  for (size_t i = 0; i < root.size(); ++i) {
    root[i] = plan.slots[i].kind == Slot::Kind::kView ? root[size_t(plan.slots[i].index)] : int(i);
  }
  const auto use = [&](int slot, size_t node) {
    if (slot >= 0) last[size_t(root[size_t(slot)])] = node;
  };
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const int slot : plan.nodes[i].outputs) use(slot, i);
    for (const int slot : plan.nodes[i].inputs) use(slot, i);
  }
  for (const Plan::Output& output : plan.outputs) use(output.slot, plan.nodes.size());
  for (const int slot : plan.rest_inputs) use(slot, plan.nodes.size());
  for (size_t i = 0; i < root.size(); ++i) {
    if (!owns_memory(plan.slots[i])) continue;
    owners_.push_back(int(i));
    dead_at_[last[i]].push_back(int(i));
  }
}

void MemoryGuard::begin_run(const std::vector<Tensor>& slots) const {
  for (const int slot : owners_) {
    const Tensor& value = slots[size_t(slot)];
    fill(begin_of(value) - kGuardBytes, value.bytes() + 2 * kGuardBytes);
  }
}

void MemoryGuard::begin_node(const Tensor& scratch) const { fill(scratch.raw(), scratch.bytes()); }

void MemoryGuard::end_node(size_t node, const std::vector<Tensor>& slots, const Tensor& scratch) const {
  if (plan_.nodes[node].kernel) check_scratch(*plan_.nodes[node].kernel, scratch);
  for (const int slot : owners_) {
    const Tensor& value = slots[size_t(slot)];
    if (filled(begin_of(value) - kGuardBytes, kGuardBytes) && filled(begin_of(value) + value.bytes(), kGuardBytes)) {
      continue;
    }
    throw Error(ErrorKind::kInternal, str("wrote outside of ", describe(value)));
  }
  for (const int slot : dead_at_[node]) fill(slots[size_t(slot)].raw(), slots[size_t(slot)].bytes());
}

/// The padding that the plan adds after the largest scratch memory of its kernels is the guard of all.
void MemoryGuard::check_scratch(const Kernel& kernel, const Tensor& scratch) const {
  const size_t pitch = aligned(plan_.scratch_bytes), own = kernel.scratch_bytes();
  for (size_t begin = 0; begin + pitch <= scratch.bytes(); begin += pitch) {
    if (filled(begin_of(scratch) + begin + own, pitch - own)) continue;
    throw Error(ErrorKind::kInternal, str("wrote past the end of ", own, " bytes of scratch memory"));
  }
}

}  // namespace linnet
