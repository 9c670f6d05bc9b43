#include "inspect/memory_map.h"

#include <algorithm>
#include <map>

#include "graph/graph.h"

namespace linnet::tool {
namespace {

// Until behind the last step of all plans, which is not known at first.
constexpr int kKept = -1;

int64_t slot_bytes(const Slot& slot) { return int64_t(dtype_bytes(slot.dtype, slot.shape.elements())); }

MemoryMap::Step describe_step(const Step& step) {
  if (!step.node) return {"copy", ""};
  const NodeSpec& spec = step.node->spec;
  return {spec.domain.empty() ? spec.op_type : spec.domain + "::" + spec.op_type, spec.name};
}

/// The values of one plan, whose steps and memory begin where those of the plans before end.
class PlanMapper {
 public:
  PlanMapper(const Plan& plan, MemoryMap& map) : plan_(plan), map_(map), first_step_(int(map.steps.size())) {}

  void map() {
    for (size_t i = 0; i < plan_.steps.size(); ++i) add_step(int(i));
    for (size_t i = 0; i < plan_.outputs.size(); ++i) keep(plan_.graph.outputs()[i], plan_.outputs[i].slot);
    for (const int slot : plan_.rest_inputs) keep(slot);
    place();
  }

 private:
  /// The slot whose memory a view shows.
  int viewed(int slot) const {
    while (plan_.slots[size_t(slot)].kind == Slot::Kind::kView) slot = plan_.slots[size_t(slot)].index;
    return slot;
  }
  PlacedValue* value_of(int slot) {
    const auto found = slot < 0 ? values_.end() : values_.find(viewed(slot));
    return found == values_.end() ? nullptr : &found->second;
  }

  void add_step(int index) {
    const Step& step = plan_.steps[size_t(index)];
    const int now = first_step_ + index;
    map_.steps.push_back(describe_step(step));
    for (const int slot : step.inputs) {
      if (PlacedValue* value = value_of(slot)) value->read = now, value->end = now + 1;
    }
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      if (!has_memory(step.outputs[i])) continue;
      for (const int input : step.inputs) pass_memory(input, step.outputs[i], now);
      add_value(step, int(i), now);
    }
  }

  bool has_memory(int slot) const {
    if (slot < 0) return false;
    const Slot& s = plan_.slots[size_t(slot)];
    return (s.kind == Slot::Kind::kArena || s.kind == Slot::Kind::kOwned) && slot_bytes(s) > 0;
  }

  /// An input that the step writes over.
  void pass_memory(int input, int output, int now) {
    PlacedValue* value = value_of(input);
    if (!value) return;
    const Slot &from = plan_.slots[size_t(viewed(input))], &to = plan_.slots[size_t(output)];
    if (from.kind != to.kind) return;
    if (to.kind == Slot::Kind::kOwned ? from.index == to.index : from.offset == to.offset) value->end = now;
  }

  void add_value(const Step& step, int output, int now) {
    const int index = step.outputs[size_t(output)];
    const Slot& slot = plan_.slots[size_t(index)];
    PlacedValue value{"",  slot.dtype, slot.shape, int64_t(slot.offset),           slot_bytes(slot),
                      now, now,        now + 1,    slot.kind == Slot::Kind::kOwned};
    if (step.node) value.name = plan_.graph.value(step.node->outputs[size_t(output)]).name;
    values_[index] = std::move(value);
  }

  void keep(int slot) {
    if (PlacedValue* value = value_of(slot)) value->read = value->end = kKept;
  }
  void keep(const Graph::Output& output, int slot) {
    keep(slot);
    PlacedValue* value = value_of(slot);
    if (value && value->name.empty()) value->name = output.name;
  }

  void place() {
    int64_t apart = map_.bytes + int64_t(plan_.arena_bytes);
    std::map<int, int64_t> owners;
    for (auto& [index, value] : values_) {
      if (!value.apart) {
        value.offset += map_.bytes;
      } else {
        const auto [owner, added] = owners.emplace(plan_.slots[size_t(index)].index, apart);
        value.offset = owner->second;
        if (added) apart += value.bytes;
      }
      map_.values.push_back(value);
    }
    map_.bytes = apart;
    map_.arena_bytes += int64_t(plan_.arena_bytes);
  }

  const Plan& plan_;
  MemoryMap& map_;
  int first_step_;
  std::map<int, PlacedValue> values_;  // by slot
};

void find_peak(MemoryMap& map) {
  std::vector<int64_t> change(map.steps.size() + 1);
  for (const PlacedValue& value : map.values) {
    if (value.apart) continue;
    change[size_t(value.written)] += value.bytes;
    change[size_t(value.end)] -= value.bytes;
  }
  int64_t bytes = 0;
  for (size_t i = 0; i < map.steps.size(); ++i) {
    bytes += change[i];
    if (bytes <= map.peak_bytes) continue;
    map.peak_bytes = bytes;
    map.peak_step = int(i);
  }
}

}  // namespace

MemoryMap map_memory(const std::vector<std::shared_ptr<const Plan>>& plans) {
  MemoryMap map;
  for (const auto& plan : plans) PlanMapper(*plan, map).map();
  for (PlacedValue& value : map.values) {
    if (value.end == kKept) value.read = value.end = int(map.steps.size());
  }
  find_peak(map);
  return map;
}

}  // namespace linnet::tool
