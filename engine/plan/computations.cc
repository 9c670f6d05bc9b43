#include "plan/computations.h"

#include <algorithm>

#include "graph/equal_specs.h"
#include "passes/pending_nodes.h"

namespace linnet {
namespace {

bool computes_floats(const Graph& graph, const Node& node) {
  const auto is_float = [&](ValueId v) {
    const DType dtype = graph.fact(v).dtype;
    return is_floating(dtype) || is_container(dtype);
  };
  const std::vector<Fact> in = input_facts(graph, node);
  const bool moves = node.spec.captures == 0 && node.op->computes_in(in) == Precision::kAny &&
                     std::ranges::none_of(in, [](const Fact& fact) { return is_container(fact.dtype); });
  return std::ranges::any_of(node.outputs, is_float) && !moves && !node.op->is_elementwise();
}

std::string shapes_of(const Graph& graph, const std::vector<ValueId>& values, const DimSubstitution& sizes) {
  std::string text;
  for (const ValueId v : values) {
    text += ";";
    if (v == kNoValue || !graph.fact(v).has_rank()) continue;
    for (const Dim& dim : *graph.fact(v).dims) text += str(sizes(dim), ",");
  }
  return text;
}

}  // namespace

void Computations::add(const Graph& graph, const std::vector<NodeId>& nodes, const DimSubstitution& sizes) {
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (!computes_floats(graph, node)) continue;
    const std::string shapes = shapes_of(graph, node.inputs, sizes) + shapes_of(graph, node.outputs, sizes);
    each_.emplace_back(str(node.spec.domain, ":", node.spec.op_type, shapes), checksum_of(node.spec));
  }
  std::ranges::sort(each_);
}

}  // namespace linnet
