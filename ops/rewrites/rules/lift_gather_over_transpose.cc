#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The permutation of the remaining axes when `axis` of the input of a Transpose is removed.
std::vector<int64_t> without_axis(const std::vector<int64_t>& perm, int64_t axis) {
  std::vector<int64_t> result;
  for (const int64_t from : perm) {
    if (from != axis) result.push_back(from < axis ? from : from - 1);
  }
  return result;
}

}  // namespace

// Gather(Transpose(x), i) -> Transpose(Gather(x, i)) for a constant i of rank 0, if the rest of the Transpose swaps
// heads and length: queries, keys and values in one tensor of five axes.
LINNET_DEFINE_REWRITE(lift_gather_over_transpose, "Gather")(const Graph& graph, const Node& node) {
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const auto* perm = transpose ? transpose->spec.find<std::vector<int64_t>>("perm") : nullptr;
  const Tensor* index = graph.constant_input(node, 1);
  if (!perm || !index || index->rank() != 0 || graph.is_output(transpose->outputs[0])) return std::nullopt;
  for (const NodeId reader : graph.consumers(transpose->outputs[0])) {
    if (!is_op(graph.node(reader), "Gather")) return std::nullopt;
  }
  const int64_t axis = (*perm)[size_t(normalize_axis(node.spec.attr_or("axis", 0), int(perm->size())))];
  const std::vector<int64_t> left = without_axis(*perm, axis);
  if (left != std::vector<int64_t>{0, 2, 1, 3}) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = node.spec;
  spec.attributes["axis"] = axis;
  const ValueId x = patch.add(spec, {transpose->inputs[0], node.inputs[1]});
  patch.replace(node.outputs[0], add_transpose(patch, node, x, left));
  return patch;
}

}  // namespace linnet
