#include <algorithm>
#include <limits>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"
#include "rewrites/matching/written_attention.h"

namespace linnet {
namespace {

ValueId add_scalar(Patch& patch, const Node& node, const char* name, float value) {
  return patch.constant(node.spec.name + name, Tensor::scalar(value));
}

/// Adds a mask to the sum of masks `bias` that precede it (kNoValue: none), and returns the new sum.
ValueId add_mask(Patch& patch, const Node& node, const WrittenMask& mask, ValueId bias) {
  if (mask.summand != kNoValue) {
    return bias == kNoValue ? mask.summand : patch.add(standard_spec(node, "Add", 7), {bias, mask.summand});
  }
  const ValueId kept = bias == kNoValue ? add_scalar(patch, node, ".kept", 0) : bias;
  const ValueId hidden = add_scalar(patch, node, ".hidden", mask.hidden);
  return patch.add(standard_spec(node, "Where", 9),
                   {mask.condition, mask.kept ? kept : hidden, mask.kept ? hidden : kept});
}

/// Whether the softmax of the model gives NaN for a query whose keys are all hidden.
bool may_give_nan(const Graph& graph, const WrittenAttention& attention) {
  const auto& masks = attention.masks;
  return !attention.zero_where_nan && !masks.empty() && (masks.size() > 1 || !is_finite(graph, masks[0]));
}

}  // namespace

// MatMul(Softmax(scale * MatMul(q, k^T) + mask), v) -> Attention(q, k, v, mask), in float32, of rank 3 or 4. The scale
// may be applied to an operand or to the product, followed by a softcap. Masks are added or select.
// A row whose keys are all hidden is zeros if a Where after the Softmax replaces NaN by 0, as PyTorch's exporters
// write. Otherwise it is NaN, which requires linnet::Attention unless the mask cannot hide all keys.
// The result differs from the model in two cases: a key that a mask hides by -infinity is ignored even if its score is
// NaN, and NaN that comes from q, k or v is not replaced by 0.
LINNET_DEFINE_REWRITE(fuse_attention, "MatMul")(const Graph& graph, const Node& node) {
  const auto found = written_attention(graph, node);
  const auto* attention = std::get_if<WrittenAttention>(&found);
  if (!attention) return std::nullopt;
  const int rank = graph.fact(attention->q).rank();
  const Dim& heads = graph.fact(attention->q).dim(rank - 3);
  if (certainly_equal(heads, 0)) return std::nullopt;  // Attention requires at least one head
  Patch patch(graph);
  const ValueId k = add_matrix_transpose(patch, node, attention->k_transposed, rank);
  ValueId bias = kNoValue;
  for (const WrittenMask& mask : attention->masks) bias = add_mask(patch, node, mask, bias);
  NodeSpec spec = standard_spec(node, "Attention", 23);
  if (may_give_nan(graph, *attention)) {
    spec.domain = kInternalDomain;
    spec.attributes[kNanWithoutKeys] = int64_t{1};
  }
  spec.attributes["scale"] = float(attention->scale);
  if (attention->softcap > 0) spec.attributes["softcap"] = float(attention->softcap);
  std::vector<ValueId> inputs{attention->q, k, attention->v};
  // Matrices of rank 3 become heads of one sample, as in masks of rank 3.
  const ValueId batch = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>({0}));
  for (ValueId& x : inputs) x = rank == 4 ? x : patch.add(standard_spec(node, "Unsqueeze", 13), {x, batch});
  if (bias != kNoValue) inputs.push_back(bias);
  const ValueId y = patch.add(spec, inputs);
  patch.replace(node.outputs[0], rank == 4 ? y : patch.add(standard_spec(node, "Squeeze", 13), {y, batch}));
  return patch;
}

}  // namespace linnet
