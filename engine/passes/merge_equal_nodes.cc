#include <algorithm>
#include <map>
#include <tuple>

#include "graph/equal_specs.h"
#include "graph/patch.h"
#include "passes/passes.h"

namespace linnet {
namespace {

// Larger constants are not compared: exporters repeat small ones only.
constexpr int64_t kComparedElements = 64;

// Nodes can only be merged when each output of the second exists in the first.
bool covers(const Node& first, const Node& second) {
  if (first.outputs.size() != second.outputs.size()) return false;
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    if (first.outputs[i] == kNoValue && second.outputs[i] != kNoValue) return false;
  }
  return true;
}

bool merge_constants(Graph& graph) {
  std::map<std::tuple<DType, std::vector<int64_t>, std::string>, ValueId> seen;
  bool changed = false;
  const int count = graph.value_count();
  for (ValueId id = 0; id < count; ++id) {
    const Tensor& constant = graph.fact(id).constant;
    const bool input = std::find(graph.inputs().begin(), graph.inputs().end(), id) != graph.inputs().end();
    if (!constant || input || graph.value(id).producer != kNoValue || graph.consumers(id).empty() ||
        graph.is_output(id) || is_object(constant.dtype()) || constant.size() > kComparedElements) {
      continue;
    }
    const std::string bytes(static_cast<const char*>(constant.raw()), constant.bytes());
    const auto [first, added] =
        seen.try_emplace({constant.dtype(), {constant.shape().begin(), constant.shape().end()}, bytes}, id);
    if (added) continue;
    Patch patch(graph);
    patch.replace(id, first->second);
    patch.apply(graph);
    changed = true;
  }
  return changed;
}

}  // namespace

bool merge_equal_nodes(Graph& graph) {
  bool changed = merge_constants(graph);
  std::multimap<std::tuple<std::string, std::string, std::vector<ValueId>>, NodeId> seen;
  const std::vector<NodeId> order = graph.nodes();
  for (const NodeId id : order) {
    if (!graph.alive(id) || !graph.node(id).op->deterministic()) continue;
    const Node& node = graph.node(id);
    const auto key = std::tuple(node.spec.domain, node.spec.op_type, node.inputs);
    const auto [begin, end] = seen.equal_range(key);
    const auto twin = std::find_if(begin, end, [&](const auto& entry) {
      return equal_specs(graph.node(entry.second).spec, node.spec) && covers(graph.node(entry.second), node);
    });
    if (twin == end) {
      seen.emplace(key, id);
      continue;
    }
    Patch patch(graph);
    patch.replace(node, graph.node(twin->second).outputs);
    patch.apply(graph);
    changed = true;
  }
  return changed;
}

}  // namespace linnet
