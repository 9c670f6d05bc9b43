#include "plan/row_region.h"

namespace linnet {
namespace {

/// The body with new dims in place of those that grow.
Graph opened(Graph body) {
  for (ValueId v = 0; v < body.value_count(); ++v) {
    const Fact& fact = body.fact(v);
    if (fact.constant || !fact.present()) continue;
    Fact open(fact.dtype, std::nullopt);
    if (body.is_input(v)) {
      open.dims = fact.dims;
      for (Dim& dim : *open.dims) dim = dim.known() ? dim : Dim::fresh();
    }
    body.set_fact(v, std::move(open));
  }
  return body;
}

}  // namespace

NodeSpec internal_node(const char* op_type, std::string name) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.domain = "linnet";
  spec.name = std::move(name);
  return spec;
}

RowRegionNode row_region_node(const Graph& graph, Graph part, const std::string& name, const Rooms& rooms, bool wide) {
  RowRegionNode node{.spec = internal_node("RowsInUse", name)};
  std::vector<int64_t> axes, bases, slopes, output_axes;
  for (const ValueId v : part.inputs()) {
    const Fact& fact = graph.fact(v);
    const int axis = rooms.axis(fact);
    const LinearDim dim = axis < 0 ? LinearDim{} : *rooms.linear(fact.dim(axis));
    axes.push_back(axis);
    bases.push_back(dim.base);
    for (size_t i = 0; i < rooms.counts(); ++i) slopes.push_back(dim.slope(i));
    std::vector<LinearDim>& dims = node.region.inputs.emplace_back();
    for (const Dim& each : *fact.dims) dims.push_back(*rooms.linear(each));
  }
  for (const Graph::Output& output : part.outputs()) {
    const Fact& fact = graph.fact(output.value);
    output_axes.push_back(wide ? rooms.axis(fact) : -1);
    node.outputs.push_back(wide ? *rooms.fact(fact) : Fact(fact.dtype, Dims(size_t(fact.rank()))));
    node.spec.attributes[str("output", node.outputs.size() - 1)] = node.outputs.back();
  }
  node.region.body = std::make_shared<const Graph>(opened(std::move(part)));
  node.spec.attributes["body"] = node.region.body;
  node.spec.attributes["axes"] = std::move(axes);
  node.spec.attributes["bases"] = std::move(bases);
  node.spec.attributes["slopes"] = std::move(slopes);
  node.spec.attributes["output_axes"] = std::move(output_axes);
  return node;
}

}  // namespace linnet
