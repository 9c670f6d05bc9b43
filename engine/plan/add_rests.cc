#include "plan/add_rests.h"

#include <algorithm>
#include <map>
#include <set>

#include "plan/divide_rest.h"
#include "plan/program.h"

namespace linnet {
namespace {

class RestBuilder {
 public:
  RestBuilder(Plan& plan, const std::function<int(ValueId)>& slot_of,
              const std::shared_ptr<const ModelResources>& resources)
      : plan_(plan), slot_of_(slot_of), resources_(resources) {}

  void build(const std::vector<NodeId>& waiting) {
    const auto parts = divide_rest(graph(), waiting);
    for (const auto& part : parts) number_inputs(part);
    for (const auto& part : parts) add(part, parts.size() == 1);
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      Plan::Output& output = plan_.outputs[i];
      if (output.slot < 0) output.rest_value = numbers_.at(graph().outputs()[i].value);
    }
  }

 private:
  const Graph& graph() const { return plan_.graph; }

  /// What the nodes read of the plan and of other rests, constants aside.
  std::vector<ValueId> values_read(const std::vector<NodeId>& nodes) const {
    std::set<ValueId> seen;
    std::vector<ValueId> values;
    for (const NodeId id : nodes) {
      for (const ValueId v : graph().node(id).inputs) {
        if (v != kNoValue && !is_constant(v) && seen.insert(v).second) values.push_back(v);
      }
      seen.insert(graph().node(id).outputs.begin(), graph().node(id).outputs.end());
    }
    return values;
  }

  bool is_constant(ValueId v) const {
    const int slot = slot_of_(v);
    return slot >= 0 && plan_.slots[size_t(slot)].kind == Slot::Kind::kConstant;
  }

  void number_inputs(const std::vector<NodeId>& nodes) {
    for (const ValueId v : values_read(nodes)) {
      const int slot = slot_of_(v);
      if (slot >= 0 && numbers_.emplace(v, int(numbers_.size())).second) plan_.rest_inputs.push_back(slot);
    }
  }

  bool is_read_elsewhere(ValueId v, const std::set<NodeId>& nodes) const {
    const std::vector<NodeId>& readers = graph().consumers(v);
    return graph().is_output(v) ||
           std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return !nodes.contains(reader); });
  }

  void add(const std::vector<NodeId>& nodes, bool whole) {
    const std::vector<ValueId> inputs = values_read(nodes);
    Plan::Rest rest;
    for (const ValueId v : inputs) rest.inputs.push_back(numbers_.at(v));
    const std::set<NodeId> own(nodes.begin(), nodes.end());
    std::vector<Graph::Output> outputs;
    for (const NodeId id : nodes) {
      for (const ValueId v : graph().node(id).outputs) {
        if (v == kNoValue || !is_read_elsewhere(v, own)) continue;
        outputs.push_back({graph().value(v).name, v});
        numbers_.emplace(v, int(numbers_.size()));
      }
    }
    Graph part = whole ? graph().part(nodes, inputs, outputs) : small_part(graph(), nodes, inputs, outputs);
    rest.program = std::make_shared<Program>(std::move(part), resources_);
    plan_.rests.push_back(std::move(rest));
  }

  Plan& plan_;
  const std::function<int(ValueId)>& slot_of_;
  const std::shared_ptr<const ModelResources>& resources_;
  std::map<ValueId, int> numbers_;  // of what rests read and give, see Plan::Rest
};

}  // namespace

void add_rests(Plan& plan, const std::vector<NodeId>& waiting, const std::function<int(ValueId)>& slot_of,
               const std::shared_ptr<const ModelResources>& resources) {
  RestBuilder(plan, slot_of, resources).build(waiting);
}

}  // namespace linnet
