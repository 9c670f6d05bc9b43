#include "inspect/memory_map.h"

#include <algorithm>
#include <map>

#include "graph/graph.h"

namespace linnet::tool {
namespace {

// Marks a value that is kept until after the last node of all plans, whose number is not yet known.
constexpr int kKept = -1;

int64_t slot_bytes(const Slot& slot) { return int64_t(dtype_bytes(slot.dtype, slot.shape.elements())); }

MemoryMap::Node describe_node(const PlannedNode& planned) {
  if (!planned.node) return {"copy", ""};
  const NodeSpec& spec = planned.node->spec;
  return {spec.domain.empty() ? spec.op_type : spec.domain + "::" + spec.op_type, spec.name};
}

/// Maps the values of one plan, whose nodes and memory begin after those of earlier plans.
class PlanMapper {
 public:
  PlanMapper(const Plan& plan, MemoryMap& map) : plan_(plan), map_(map), first_node_(int(map.nodes.size())) {}

  void map() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) add_node(int(i));
    for (size_t i = 0; i < plan_.outputs.size(); ++i) keep(plan_.graph.outputs()[i], plan_.outputs[i].slot);
    for (const int slot : plan_.rest_inputs) keep(slot);
    place();
  }

 private:
  /// The slot whose memory a view refers to.
  int viewed(int slot) const {
    while (plan_.slots[size_t(slot)].kind == Slot::Kind::kView) slot = plan_.slots[size_t(slot)].index;
    return slot;
  }
  PlacedValue* value_of(int slot) {
    const auto found = slot < 0 ? values_.end() : values_.find(viewed(slot));
    return found == values_.end() ? nullptr : &found->second;
  }

  void add_node(int index) {
    const PlannedNode& planned = plan_.nodes[size_t(index)];
    const int now = first_node_ + index;
    map_.nodes.push_back(describe_node(planned));
    for (const int slot : planned.inputs) {
      if (PlacedValue* value = value_of(slot)) value->read = now, value->end = now + 1;
    }
    for (size_t i = 0; i < planned.outputs.size(); ++i) {
      if (!has_memory(planned.outputs[i])) continue;
      for (const int input : planned.inputs) pass_memory(input, planned.outputs[i], now);
      add_value(planned, int(i), now);
    }
  }

  bool has_memory(int slot) const {
    if (slot < 0) return false;
    const Slot& s = plan_.slots[size_t(slot)];
    return (s.kind == Slot::Kind::kArena || s.kind == Slot::Kind::kOwned) && slot_bytes(s) > 0;
  }

  /// Ends the memory of an input that the node overwrites.
  void pass_memory(int input, int output, int now) {
    PlacedValue* value = value_of(input);
    if (!value) return;
    const Slot &from = plan_.slots[size_t(viewed(input))], &to = plan_.slots[size_t(output)];
    if (from.kind != to.kind) return;
    if (to.kind == Slot::Kind::kOwned ? from.index == to.index : from.offset == to.offset) value->end = now;
  }

  void add_value(const PlannedNode& planned, int output, int now) {
    const int index = planned.outputs[size_t(output)];
    const Slot& slot = plan_.slots[size_t(index)];
    PlacedValue value{"",  slot.dtype, slot.shape, int64_t(slot.offset),           slot_bytes(slot),
                      now, now,        now + 1,    slot.kind == Slot::Kind::kOwned};
    if (planned.node) value.name = plan_.graph.value(planned.node->outputs[size_t(output)]).name;
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
  int first_node_;
  std::map<int, PlacedValue> values_;  // by slot
};

void find_peak(MemoryMap& map) {
  std::vector<int64_t> change(map.nodes.size() + 1);
  for (const PlacedValue& value : map.values) {
    if (value.apart) continue;
    change[size_t(value.written)] += value.bytes;
    change[size_t(value.end)] -= value.bytes;
  }
  int64_t bytes = 0;
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    bytes += change[i];
    if (bytes <= map.peak_bytes) continue;
    map.peak_bytes = bytes;
    map.peak_node = int(i);
  }
}

}  // namespace

MemoryMap map_memory(const std::vector<std::shared_ptr<const Plan>>& plans) {
  MemoryMap map;
  for (const auto& plan : plans) PlanMapper(*plan, map).map();
  for (PlacedValue& value : map.values) {
    if (value.end == kKept) value.read = value.end = int(map.nodes.size());
  }
  find_peak(map);
  return map;
}

}  // namespace linnet::tool
