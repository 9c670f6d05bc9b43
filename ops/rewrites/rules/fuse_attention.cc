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

/// The mask's effect on scores that `bias` (none: zeros) is added to before.
ValueId add_mask(Patch& patch, const Node& node, const WrittenMask& mask, ValueId bias) {
  if (mask.summand != kNoValue) {
    return bias == kNoValue ? mask.summand : patch.add(standard_spec(node, "Add", 7), {bias, mask.summand});
  }
  const ValueId kept = bias == kNoValue ? add_scalar(patch, node, ".kept", 0) : bias;
  const ValueId hidden = add_scalar(patch, node, ".hidden", mask.hidden);
  return patch.add(standard_spec(node, "Where", 9),
                   {mask.condition, mask.kept ? kept : hidden, mask.kept ? hidden : kept});
}

/// Where all keys of a query are hidden, the softmax that is written gives NaN.
bool may_give_nan(const Graph& graph, const WrittenAttention& attention) {
  const auto& masks = attention.masks;
  return !attention.zero_where_nan && !masks.empty() && (masks.size() > 1 || !is_finite(graph, masks[0]));
}

}  // namespace

// MatMul(Softmax(scale * MatMul(q, k^T) + mask), v) -> Attention(q, k, v, mask), in float32; of rank 3, too. The scale
// may stand at either operand or the product, a softcap behind it; masks are added, or select. Rows whose keys are all
// hidden are zeros where a Where behind the Softmax turns NaN into 0, as PyTorch's exporters write, and else NaN:
// linnet::Attention, unless the mask cannot hide all. Two things are not as written: a key that a mask hides by
// -infinity counts as nothing though its score be NaN, and that Where turns no NaN into 0 that comes from q, k or v.
LINNET_DEFINE_REWRITE(fuse_attention, "MatMul")(const Graph& graph, const Node& node) {
  const auto found = written_attention(graph, node);
  const auto* attention = std::get_if<WrittenAttention>(&found);
  if (!attention) return std::nullopt;
  const int rank = graph.fact(attention->q).rank();
  const Dim& heads = graph.fact(attention->q).dim(rank - 3);
  if (certainly_equal(heads, 0)) return std::nullopt;  // Attention has at least one
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
  // Matrices are heads of one sample, as masks of rank 3 are.
  const ValueId batch = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>({0}));
  for (ValueId& x : inputs) x = rank == 4 ? x : patch.add(standard_spec(node, "Unsqueeze", 13), {x, batch});
  if (bias != kNoValue) inputs.push_back(bias);
  const ValueId y = patch.add(spec, inputs);
  patch.replace(node.outputs[0], rank == 4 ? y : patch.add(standard_spec(node, "Squeeze", 13), {y, batch}));
  return patch;
}

}  // namespace linnet
