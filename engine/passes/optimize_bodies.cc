#include <algorithm>
#include <map>

#include "graph/patch.h"
#include "passes/passes.h"
#include "tensor/dim_scope.h"

namespace linnet {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

bool is_unread(const Graph& body, ValueId value) { return body.consumers(value).empty() && !body.is_output(value); }

// Copies the known facts of captured values into the body. Constants become constants of the body, which can fold and
// pack them.
void adopt_captures(Graph& body, const Graph& outer, const Node& node) {
  const size_t captures = size_t(node.spec.captures);
  Patch patch(body);
  for (size_t i = 0; i < captures; ++i) {
    const Fact& known = outer.input_fact(node, int(node.inputs.size() - captures + i));
    const ValueId input = body.inputs()[body.inputs().size() - captures + i];
    if (known.present()) body.set_fact(input, known);
    if (!known.constant || is_unread(body, input)) continue;
    patch.replace(input, patch.constant(body.value(input).name, known.constant));
  }
  patch.apply(body);
}

bool inputs_known(const Graph& body) {
  return std::all_of(body.inputs().begin(), body.inputs().end(), [&](ValueId v) { return body.fact(v).present(); });
}

/// The bodies of a node by the names of their attributes.
using Bodies = std::map<std::string, Graph>;

template <class F>
Bodies bodies_of(const Node& node, const F& change) {
  Bodies bodies;
  for (const auto& [name, attribute] : node.spec.attributes) {
    if (const auto* body = std::get_if<GraphPtr>(&attribute)) bodies.emplace(name, change(**body));
  }
  return bodies;
}

/// The values without the unread ones among the last read.size() ones.
std::vector<ValueId> with_read(const std::vector<ValueId>& values, const std::vector<bool>& read) {
  const size_t own = values.size() - read.size();
  std::vector<ValueId> kept(values.begin(), values.begin() + std::ptrdiff_t(own));
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i]) kept.push_back(values[own + i]);
  }
  return kept;
}

/// Drops captures that none of the node's bodies reads.
void drop_unread_captures(Bodies& bodies, NodeSpec& spec, std::vector<ValueId>& inputs) {
  std::vector<bool> read(size_t(spec.captures), false);
  for (const auto& [name, body] : bodies) {
    const size_t own = body.inputs().size() - read.size();
    for (size_t i = 0; i < read.size(); ++i) read[i] = read[i] || !is_unread(body, body.inputs()[own + i]);
  }
  spec.captures = int(std::count(read.begin(), read.end(), true));
  if (size_t(spec.captures) == read.size()) return;
  for (auto& [name, body] : bodies) body = body.part(body.nodes(), with_read(body.inputs(), read), body.outputs());
  inputs = with_read(inputs, read);
}

/// A node's spec and inputs with these bodies.
std::pair<NodeSpec, std::vector<ValueId>> with_bodies(const Node& node, Bodies bodies) {
  std::pair result(node.spec, node.inputs);
  auto& [spec, inputs] = result;
  drop_unread_captures(bodies, spec, inputs);
  for (auto& [name, body] : bodies) spec.attributes[name] = std::make_shared<const Graph>(std::move(body));
  return result;
}

/// Copies constants that its own bodies capture into them, for a body of which too little is known to infer anything.
Graph with_adopted_captures(const Graph& graph) {
  Graph result(graph.registry());
  std::map<ValueId, ValueId> ids{{kNoValue, kNoValue}};
  for (const ValueId id : graph.inputs()) ids[id] = result.add_input(graph.value(id).name, graph.fact(id));
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const auto& [name, fact, producer] = graph.value(id);
    if (fact.constant && producer == kNoValue && !graph.is_input(id))
      ids[id] = result.add_constant(name, fact.constant);
  }
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    auto [spec, inputs] = with_bodies(node, bodies_of(node, [&](const Graph& body) {
                                        Graph copy = body;
                                        adopt_captures(copy, graph, node);
                                        return with_adopted_captures(copy);
                                      }));
    for (ValueId& input : inputs) input = ids.at(input);
    std::vector<std::string> names;
    for (const ValueId output : node.outputs) names.push_back(output == kNoValue ? "" : graph.value(output).name);
    const Node& added = result.node(result.add_node(std::move(spec), std::move(inputs), names));
    for (size_t i = 0; i < names.size(); ++i) ids[node.outputs[i]] = added.outputs[i];
  }
  for (const Graph::Output& output : graph.outputs()) result.add_output(output.name, ids.at(output.value));
  return result;
}

Graph optimized(const Graph& body, const Graph& outer, const Node& node, const ModelResources& resources) {
  Graph copy = body;
  adopt_captures(copy, outer, node);
  if (!inputs_known(copy)) return with_adopted_captures(copy);
  if (resources.options.optimization > 0) merge_equal_constants(copy);
  const DimScope::NoLessons not_of_each_run;
  optimize_bodies(copy, resources);
  optimize(copy, resources);
  check_contents(copy);
  return copy;
}

}  // namespace

void optimize_bodies(Graph& graph, const ModelResources& resources) {
  const std::vector<NodeId> order = graph.nodes();
  const bool any_captures = std::ranges::any_of(order, [&](NodeId id) { return graph.node(id).spec.captures > 0; });
  propagate_facts(graph, resources, any_captures);  // captured constants get their final form before bodies see them
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    Bodies bodies = bodies_of(node, [&](const Graph& body) { return optimized(body, graph, node, resources); });
    if (bodies.empty()) continue;
    auto [spec, inputs] = with_bodies(node, std::move(bodies));
    Patch patch(graph);
    patch.replace(node, patch.add_for(node, std::move(spec), std::move(inputs)));
    patch.apply(graph);
  }
}

}  // namespace linnet
