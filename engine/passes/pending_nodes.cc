#include "passes/pending_nodes.h"

#include <algorithm>

namespace linnet {

std::vector<NodeId> pending_nodes(const Graph& graph) {
  std::vector<bool> needed(size_t(graph.value_count()), false);
  const auto need = [&](ValueId v) {
    if (v != kNoValue && !graph.fact(v).constant) needed[size_t(v)] = true;
  };
  for (const Graph::Output& output : graph.outputs()) need(output.value);
  std::vector<NodeId> pending;
  const std::vector<NodeId>& order = graph.nodes();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = graph.node(*id);
    const auto is_needed = [&](ValueId v) { return v != kNoValue && needed[size_t(v)]; };
    if (std::none_of(node.outputs.begin(), node.outputs.end(), is_needed)) continue;
    pending.push_back(*id);
    for (const ValueId v : node.inputs) need(v);
  }
  std::reverse(pending.begin(), pending.end());
  return pending;
}

}  // namespace linnet
