#include "plan/divide_rest.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace linnet {
namespace {

constexpr size_t kFew = 64;  // nodes, which are quick to specialise again
constexpr int kLevels = 16;

/// As if the run had told the shape.
Fact assumed(Fact fact) {
  if (!fact.has_rank()) return fact;
  for (Dim& dim : *fact.dims) {
    if (!dim.known()) dim = Dim(1);
  }
  return fact;
}

/// Whether, as far as rules tell, the shapes of the node's outputs are open although those of its inputs are known.
bool opens_shapes(const Graph& graph, const Node& node) {
  std::vector<Fact> in = input_facts(graph, node);
  for (Fact& fact : in) fact = assumed(std::move(fact));
  try {
    const std::vector<Fact> out = infer_node(node, in);
    return std::any_of(out.begin(), out.end(), [](const Fact& fact) { return fact.present() && !fact.concrete(); });
  } catch (const Error&) {
    return true;  // Dims of 1 do not fit.
  }
}

}  // namespace

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

}  // namespace linnet
