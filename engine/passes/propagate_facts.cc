#include <algorithm>

#include "passes/evaluate.h"
#include "passes/passes.h"

namespace linnet {
namespace {

bool all_constant(std::span<const Fact> facts) {
  return std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return !f.present() || f.constant; });
}

void propagate_node(Graph& graph, const Node& node, const ModelResources& resources, bool widen) {
  const std::vector<Fact> in = input_facts(graph, node);
  std::vector<Fact> out = infer_node(node, in);
  const bool computes = node.op->deterministic() && (widen || !node.op->widens_constants());
  if (computes && !all_constant(out) && all_constant(in)) {
    if (const auto values = evaluate(node, in, out, resources)) {
      for (size_t i = 0; i < out.size(); ++i) {
        if (out[i].present()) out[i] = Fact((*values)[i]);
      }
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (node.outputs[i] != kNoValue) graph.set_fact(node.outputs[i], std::move(out[i]));
  }
}

}  // namespace

void propagate_facts(Graph& graph, const ModelResources& resources, bool widen) {
  for (const NodeId id : graph.nodes()) propagate_node(graph, graph.node(id), resources, widen);
}

}  // namespace linnet
