#include "rewrites/define_rewrite.h"
#include "rewrites/matching/einsum_nodes.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// An operand with its axes in the order of the output, and dims of 1 for those that it lacks.
ValueId aligned(Patch& patch, const Node& node, const EinsumTerms::Operand& operand, const EinsumAxes& output) {
  const ValueId x = add_label_transpose(patch, node, operand.value, operand.labels, those_in(output, operand.labels));
  std::vector<int64_t> lacking;
  for (size_t d = 0; d < output.size(); ++d) {
    if (!contains(operand.labels, output[d])) lacking.push_back(int64_t(d));
  }
  if (lacking.empty()) return x;
  const ValueId axes = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>(lacking));
  return patch.add(standard_spec(node, "Unsqueeze", 13), {x, axes});
}

}  // namespace

// Einsum of one or two operands without a sum -> the transposed operand, or Mul of both with broadcasting.
LINNET_DEFINE_REWRITE(convert_einsum_to_mul, "Einsum")(const Graph& graph, const Node& node) {
  const auto terms = einsum_terms(graph, node);
  if (!terms || terms->operands.size() > 2 || terms->dims.size() != terms->output.size()) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> factors;
  for (const EinsumTerms::Operand& operand : terms->operands) {
    if (operand.dims.size() != operand.labels.size()) return std::nullopt;
    factors.push_back(aligned(patch, node, operand, terms->output));
  }
  const bool multiplies = factors.size() == 2;
  patch.replace(node.outputs[0], multiplies ? patch.add(standard_spec(node, "Mul", 14), factors) : factors[0]);
  return patch;
}

}  // namespace linnet
