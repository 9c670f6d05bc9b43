#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/inliner.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// The branch that is taken, if the condition is constant; else nullptr.
const Graph* taken_branch(const Graph& graph, const Node& node) {
  const Tensor* cond = graph.constant_input(node, 0);
  if (!cond || cond->dtype() != DType::kBool || cond->size() != 1) return nullptr;
  const char* branch = *cond->data<bool>() ? "then_branch" : "else_branch";
  return node.spec.attr<std::shared_ptr<const Graph>>(branch).get();
}

}  // namespace

// If(constant) -> the nodes of the branch that is taken.
LINNET_DEFINE_REWRITE(inline_constant_if, "If")(const Graph& graph, const Node& node) {
  const Graph* branch = taken_branch(graph, node);
  if (!branch) return std::nullopt;
  Patch patch(graph);
  Inliner inliner(*branch, {node.inputs.begin() + 1, node.inputs.end()}, patch);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    ValueId value = inliner.outer(branch->outputs()[i].value);
    // A graph output stays a separate value.
    const bool captured = std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
    if (captured && graph.is_output(node.outputs[i])) value = patch.add(standard_spec(node, "Identity", 16), {value});
    patch.replace(node.outputs[i], value);
  }
  return patch;
}

}  // namespace linnet
