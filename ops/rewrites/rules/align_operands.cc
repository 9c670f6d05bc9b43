#include "elementwise/aligns_operands.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr int64_t kBroadcasts = 7;  // the first opset with NumPy's broadcasting rules

/// The second operand with `rank` axes; missing axes are appended as trailing dims of 1.
ValueId second_operand(const Graph& graph, Patch& patch, const Node& node, int rank) {
  const Fact& fact = graph.input_fact(node, 1);
  if (fact.rank() == rank) return node.inputs[1];
  std::vector<int64_t> axes;
  for (int axis = fact.rank(); axis < rank; ++axis) axes.push_back(axis);
  // Constants are reshaped immediately, because later rewrites look for constants.
  if (fact.constant) {
    Shape shape = fact.constant.shape();
    for (size_t i = 0; i < axes.size(); ++i) shape.push_back(1);
    return patch.constant(node.spec.name + ".aligned", fact.constant.reshaped(shape));
  }
  const ValueId constant = patch.constant(node.spec.name + ".axes", Tensor::of(axes));
  return patch.add(standard_spec(node, "Unsqueeze", 13), {node.inputs[1], constant});
}

}  // namespace

// An operator before opset 7, whose attributes determine how its second operand is aligned -> the operator of opset 7,
// with a second operand of the aligned shape. No other rewrite needs to handle these attributes.
LINNET_DEFINE_REWRITE(align_operands)(const Graph& graph, const Node& node) {
  if (!node.spec.domain.empty() || node.spec.opset >= kBroadcasts) return std::nullopt;
  const auto* op = dynamic_cast<const AlignsOperands*>(node.op.get());
  const auto dims = op ? op->aligned_second(input_facts(graph, node)) : std::nullopt;
  if (!dims) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = node.spec;
  spec.opset = kBroadcasts;
  for (const char* attribute : {"axis", "broadcast", "consumed_inputs"}) spec.attributes.erase(attribute);
  std::vector<ValueId> inputs = node.inputs;
  inputs[1] = second_operand(graph, patch, node, int(dims->size()));
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
