#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The axis of a reduction over one axis that keeps dims.
std::optional<int> reduced_axis(const Graph& graph, const Node& node) {
  const auto axes = reduced_axes(graph, node);
  const Fact& x = graph.input_fact(node, 0);
  if (!axes || axes->size() != 1 || !x.has_rank() || node.spec.attr_or("keepdims", 1) == 0) return std::nullopt;
  return normalize_axis(axes->front(), x.rank());
}

}  // namespace

// Exp(x - ReduceMax(x)) / ReduceSum(Exp(x - ReduceMax(x))) along one axis, in float32 -> Softmax(x).
LINNET_DEFINE_REWRITE(recognize_softmax, "Div")(const Graph& graph, const Node& node) {
  const Node* sum = single_use(graph, node.inputs[1], "ReduceSum");
  const Node* exp = sum ? producer(graph, node, 0, "Exp") : nullptr;
  if (!exp || sum->inputs[0] != exp->outputs[0] || graph.consumers(exp->outputs[0]).size() != 2) return std::nullopt;
  const Node* sub = single_use(graph, exp->inputs[0], "Sub");
  const Node* max = sub ? single_use(graph, sub->inputs[1], "ReduceMax") : nullptr;
  const auto axis = reduced_axis(graph, *sum);
  const bool matches = max && axis && max->inputs[0] == sub->inputs[0] && reduced_axis(graph, *max) == axis &&
                       same_shape(graph.fact(sub->inputs[0]), graph.fact(node.outputs[0]));
  if (!matches || graph.is_output(exp->outputs[0])) return std::nullopt;
  NodeSpec spec = standard_spec(node, "Softmax", 13);
  spec.attributes["axis"] = int64_t{*axis};
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, {sub->inputs[0]}));
  return patch;
}

}  // namespace linnet
