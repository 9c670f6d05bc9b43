#include <algorithm>

#include "environment/run_environment.h"
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
  Patch patch(graph);
  bool changed = false;
  for (const NodeId id : graph.nodes()) {
    if (!foldable(graph, graph.node(id))) continue;
    check_current();
    for (const ValueId output : graph.node(id).outputs) {
      if (output == kNoValue) continue;
      patch.replace(output, patch.constant(graph.value(output).name, graph.fact(output).constant));
    }
    changed = true;
  }
  patch.apply(graph);
  return changed;
}

}  // namespace linnet
