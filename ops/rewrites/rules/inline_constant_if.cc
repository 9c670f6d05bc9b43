#include <algorithm>
#include <map>

#include "rewrites/matching/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

// The branch that is taken, where that is known.
const Graph* taken_branch(const Graph& graph, const Node& node) {
  const Tensor* cond = is_op(node, "If") ? graph.constant_input(node, 0) : nullptr;
  if (!cond || cond->dtype() != DType::kBool || cond->size() != 1) return nullptr;
  const char* branch = *cond->data<bool>() ? "then_branch" : "else_branch";
  return node.spec.attr<std::shared_ptr<const Graph>>(branch).get();
}

/// Writes the nodes of a branch into a patch of the graph around it.
class Inliner {
 public:
  Inliner(const Graph& branch, const Node& node, Patch& patch) : branch_(branch), patch_(patch) {
    values_[kNoValue] = kNoValue;
    for (size_t i = 0; i < branch.inputs().size(); ++i) values_[branch.inputs()[i]] = node.inputs[i + 1];
    for (const NodeId id : branch.nodes()) add(branch.node(id));
  }

  /// The value outside that a value of the branch has become.
  ValueId outer(ValueId value) {
    const auto found = values_.find(value);
    if (found != values_.end()) return found->second;
    return values_[value] = patch_.constant(branch_.value(value).name, branch_.fact(value).constant);
  }

 private:
  void add(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(outer(input));
    const std::vector<ValueId> outputs = patch_.add(node.spec, inputs, int(node.outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) values_[node.outputs[i]] = outputs[i];
    }
  }

  const Graph& branch_;
  Patch& patch_;
  std::map<ValueId, ValueId> values_;
};

}  // namespace

// If(constant) -> the nodes of the branch that is taken.
std::optional<Patch> inline_constant_if(const Graph& graph, const Node& node) {
  const Graph* branch = taken_branch(graph, node);
  if (!branch) return std::nullopt;
  Patch patch(graph);
  Inliner inliner(*branch, node, patch);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    ValueId value = inliner.outer(branch->outputs()[i].value);
    // A graph output stays a value of its own.
    const bool captured = std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
    if (captured && graph.is_output(node.outputs[i])) value = patch.add(standard_spec(node, "Identity", 16), {value});
    patch.replace(node.outputs[i], value);
  }
  return patch;
}

}  // namespace linnet
