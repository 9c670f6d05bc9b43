#include "assignment.h"

#include "run/model_graph.h"
#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

constexpr const char* kEntry = "session.record_ep_graph_assignment_info";

Status* show(const EpAssignedNode* node, std::string EpAssignedNode::*part, const char** out) noexcept {
  return guarded([&] { valid(out, "out") = (valid(node, "node").*part).c_str(); });
}

}  // namespace

EpAssignedSubgraph::EpAssignedSubgraph(const Model& model) {
  const Graph& graph = model_graph(model);
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    nodes.push_back({spec.name, spec.domain, spec.op_type});
    places.push_back(&nodes.back());
  }
}

Status* Session_GetEpGraphAssignmentInfo(const Session* session, const EpAssignedSubgraph* const** graphs,
                                         size_t* count) noexcept {
  return guarded([&] {
    const SessionState& state = *valid(session, "session").state;
    if (!state.options().has_entry(kEntry, "1")) {
      throw Failure(kFail, str("the session was made without the entry ", kEntry, " = 1"));
    }
    valid(graphs, "ep_subgraphs") = state.assignment();
    valid(count, "num_ep_subgraphs") = 1;
  });
}

Status* EpAssignedSubgraph_GetEpName(const EpAssignedSubgraph* graph, const char** name) noexcept {
  return guarded([&] {
    valid(graph, "ep_subgraph");
    valid(name, "out") = "CPUExecutionProvider";
  });
}

Status* EpAssignedSubgraph_GetNodes(const EpAssignedSubgraph* graph, const EpAssignedNode* const** nodes,
                                    size_t* count) noexcept {
  return guarded([&] {
    valid(nodes, "ep_nodes") = valid(graph, "ep_subgraph").places.data();
    valid(count, "num_ep_nodes") = graph->places.size();
  });
}

Status* EpAssignedNode_GetName(const EpAssignedNode* node, const char** out) noexcept {
  return show(node, &EpAssignedNode::name, out);
}
Status* EpAssignedNode_GetDomain(const EpAssignedNode* node, const char** out) noexcept {
  return show(node, &EpAssignedNode::domain, out);
}
Status* EpAssignedNode_GetOperatorType(const EpAssignedNode* node, const char** out) noexcept {
  return show(node, &EpAssignedNode::op_type, out);
}

}  // namespace linnet::ort
