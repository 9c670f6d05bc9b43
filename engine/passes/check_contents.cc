#include "environment/run_environment.h"
#include "graph/checks_contents.h"
#include "passes/passes.h"
#include "tensor/stored_contents.h"

namespace linnet {

void check_contents(const Graph& graph) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const auto* checks = dynamic_cast<const ChecksContents*>(node.op.get());
    if (!checks) continue;
    check_current();
    std::vector<Fact> in = input_facts(graph, node);
    for (Fact& fact : in) fact.constant = StoredContents::borrow(fact.constant);
    with_node_context(node.spec, [&] { checks->check_contents(in); });
  }
}

}  // namespace linnet
