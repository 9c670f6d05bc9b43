#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {

// Identity(x) -> x; so is a Dropout whose mask nobody reads outside of training.
std::optional<Patch> drop_identity(const Graph& graph, const Node& node) {
  const bool dropout = is_op(node, "Dropout") && node.inputs.size() == 1 &&
                       (node.outputs.size() == 1 || node.outputs[1] == kNoValue ||
                        (graph.consumers(node.outputs[1]).empty() && !graph.is_output(node.outputs[1])));
  if (!dropout && !is_op(node, "Identity")) return std::nullopt;
  if (!dropout && graph.is_output(node.outputs[0])) return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], node.inputs[0]);
  return patch;
}

}  // namespace linnet
