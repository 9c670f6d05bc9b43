#include <algorithm>

#include "graph/patch.h"
#include "passes/passes.h"

namespace linnet {
namespace {

bool foldable(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return v == kNoValue || graph.fact(v).constant; });
}

}  // namespace

bool fold_constants(Graph& graph) {
  bool changed = false;
  const std::vector<NodeId> order = graph.nodes();
  for (const NodeId id : order) {
    if (!graph.alive(id) || !foldable(graph, graph.node(id))) continue;
    Patch patch(graph);
    for (const ValueId output : graph.node(id).outputs) {
      if (output == kNoValue) continue;
      patch.replace(output, patch.constant(graph.value(output).name, graph.fact(output).constant));
    }
    patch.apply(graph);
    changed = true;
  }
  return changed;
}

}  // namespace linnet
