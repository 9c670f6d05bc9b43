#include "plan/share_constants.h"

#include <unordered_set>

namespace linnet {

void share_constants(Graph& graph, const Graph& program, const ModelResources& resources) {
  std::unordered_set<const void*> known;
  for (ValueId id = 0; id < program.value_count(); ++id) {
    if (program.fact(id).constant) known.insert(program.fact(id).constant.address());
  }
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Tensor& constant = graph.fact(id).constant;
    if (!constant || known.contains(constant.address())) continue;
    Fact fact = graph.fact(id);
    fact.constant = resources.constants.share(constant);
    graph.set_fact(id, std::move(fact));
  }
}

}  // namespace linnet
