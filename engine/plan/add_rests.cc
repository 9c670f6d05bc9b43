#include "plan/add_rests.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "plan/program.h"

namespace linnet {
namespace {

constexpr size_t kFew = 64;  // nodes, so few that specialising them again is fast
constexpr int kLevels = 16;

/// The fact with open dims set to 1, as if the run had determined the shape.
Fact assumed(Fact fact) {
  if (!fact.has_rank()) return fact;
  for (Dim& dim : *fact.dims) {
    if (!dim.known()) dim = Dim(1);
  }
  return fact;
}

/// Whether, according to its rule, the node's outputs have open shapes even if those of its inputs are known.
bool opens_shapes(const Graph& graph, const Node& node) {
  std::vector<Fact> in = input_facts(graph, node);
  for (Fact& fact : in) fact = assumed(std::move(fact));
  try {
    const std::vector<Fact> out = infer_node(node, in);
    return std::any_of(out.begin(), out.end(), [](const Fact& fact) { return fact.present() && !fact.concrete(); });
  } catch (const Error&) {
    return true;  // dims of 1 do not fit
  }
}

/// Divides the nodes that wait for shapes of the run, in order, into lists. Each list reads what the plan and the lists
/// before it compute. A list contains only a bounded number of shapes that wait for one another. Since the nodes after
/// each such shape are specialised again, one list would take time quadratic in the number of nodes.
std::vector<std::vector<NodeId>> divide_rest(const Graph& graph, const std::vector<NodeId>& waiting) {
  if (waiting.size() <= kFew) return {waiting};
  std::unordered_map<ValueId, int> levels;  // how many open shapes a value waits for
  std::map<int, std::vector<NodeId>> parts;
  for (const NodeId id : waiting) {
    const Node& node = graph.node(id);
    int level = 0;
    for (const ValueId v : node.inputs) {
      const auto found = levels.find(v);
      if (found != levels.end()) level = std::max(level, found->second);
    }
    parts[level / kLevels].push_back(id);
    if (opens_shapes(graph, node)) ++level;
    for (const ValueId v : node.outputs) {
      if (v != kNoValue) levels[v] = level;
    }
  }
  std::vector<std::vector<NodeId>> result;
  for (auto& [number, nodes] : parts) result.push_back(std::move(nodes));
  return result;
}

/// Like Graph::part(), but with new ids and operators, so that the result holds only the memory that its nodes need.
Graph small_part(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& inputs,
                 const std::vector<Graph::Output>& outputs) {
  Graph part(graph.registry());
  std::unordered_map<ValueId, ValueId> ids{{kNoValue, kNoValue}};
  for (const ValueId v : inputs) ids[v] = part.add_input(graph.value(v).name, graph.fact(v));
  const auto id_of = [&](ValueId v) {
    const auto [known, is_new] = ids.try_emplace(v);
    if (is_new) known->second = part.add_constant(graph.value(v).name, graph.fact(v).constant);
    return known->second;
  };
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    std::vector<ValueId> in;
    for (const ValueId v : node.inputs) in.push_back(id_of(v));
    std::vector<std::string> names;
    for (const ValueId v : node.outputs) {
      names.push_back(v == kNoValue ? "" : graph.value(v).name.empty() ? str("value ", v) : graph.value(v).name);
    }
    const Node& copy = part.node(part.add_node(node.spec, in, names));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      part.set_fact(copy.outputs[i], graph.fact(node.outputs[i]));
      ids[node.outputs[i]] = copy.outputs[i];
    }
  }
  for (const Graph::Output& output : outputs) part.add_output(output.name, id_of(output.value));
  return part;
}

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

  /// The values of the plan and of other rests that the nodes read, except constants.
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
  std::map<ValueId, int> numbers_;  // of the values that rests read and compute, see Plan::Rest
};

}  // namespace

void add_rests(Plan& plan, const std::vector<NodeId>& waiting, const std::function<int(ValueId)>& slot_of,
               const std::shared_ptr<const ModelResources>& resources) {
  RestBuilder(plan, slot_of, resources).build(waiting);
}

}  // namespace linnet
