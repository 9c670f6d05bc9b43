#include <algorithm>

#include "graph/patch.h"
#include "passes/passes.h"

namespace linnet {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

// Tells the body what is known of the values it captures; constants become its own, so that it can fold and pack them.
void adopt_captures(Graph& body, const Graph& outer, const Node& node) {
  const size_t captures = size_t(node.spec.captures);
  for (size_t i = 0; i < captures; ++i) {
    const Fact& known = outer.input_fact(node, int(node.inputs.size() - captures + i));
    const ValueId input = body.inputs()[body.inputs().size() - captures + i];
    body.set_fact(input, known);
    if (!known.constant || body.consumers(input).empty()) continue;
    Patch patch(body);
    patch.replace(input, patch.constant(body.value(input).name, known.constant));
    patch.apply(body);
  }
}

bool inputs_known(const Graph& body) {
  return std::all_of(body.inputs().begin(), body.inputs().end(), [&](ValueId v) { return body.fact(v).present(); });
}

GraphPtr optimized(const Graph& body, const Graph& outer, const Node& node, const ModelResources& resources) {
  auto copy = std::make_shared<Graph>(body);
  adopt_captures(*copy, outer, node);
  if (!inputs_known(*copy)) return copy;
  propagate_facts(*copy, resources);
  optimize_bodies(*copy, resources);
  optimize(*copy, resources);
  check_contents(*copy);
  return copy;
}

}  // namespace

void optimize_bodies(Graph& graph, const ModelResources& resources) {
  const std::vector<NodeId> order = graph.nodes();
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    NodeSpec spec = node.spec;
    bool found = false;
    for (auto& [name, attribute] : spec.attributes) {
      auto* body = std::get_if<GraphPtr>(&attribute);
      if (!body) continue;
      found = true;
      attribute = optimized(**body, graph, node, resources);
    }
    if (!found) continue;
    Patch patch(graph);
    patch.replace(node, patch.add_for(node, spec, node.inputs));
    patch.apply(graph);
  }
}

}  // namespace linnet
