#include "plan/share_constants.h"

namespace linnet {

ConstantSet constants_of(const Graph& graph) {
  ConstantSet constants;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    if (graph.fact(id).constant) constants.insert(graph.fact(id).constant.address());
  }
  return constants;
}

void share_constants(Graph& graph, const ConstantSet& known, const ModelResources& resources) {
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Tensor& constant = graph.fact(id).constant;
    if (!constant || known.contains(constant.address())) continue;
    Fact fact = graph.fact(id);
    fact.constant = resources.constants.share(constant);
    graph.set_fact(id, std::move(fact));
  }
}

}  // namespace linnet
