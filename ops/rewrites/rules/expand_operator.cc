#include "expansion/expanded_op.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/inliner.h"

namespace linnet {

// An operator that an expansion defines -> its expansion.
LINNET_DEFINE_REWRITE(expand_operator)(const Graph& graph, const Node& node) {
  const auto* op = dynamic_cast<const ExpandedOp*>(node.op.get());
  if (!op) return std::nullopt;
  const std::optional<Graph> expansion = op->expansion(input_facts(graph, node));
  if (!expansion) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  std::erase(inputs, kNoValue);
  Patch patch(graph);
  Inliner inliner(*expansion, inputs, patch);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) patch.replace(node.outputs[i], inliner.outer(expansion->outputs()[i].value));
  }
  return patch;
}

}  // namespace linnet
