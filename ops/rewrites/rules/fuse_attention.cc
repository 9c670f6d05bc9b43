#include <algorithm>
#include <limits>

#include "rewrites/matching/match.h"
#include "rewrites/matching/written_attention.h"
#include "rewrites/rewrite_list.h"

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

// MatMul(Softmax(scale * MatMul(q, k^T) + mask), v) -> Attention(q, k, v, mask), in float32. The scale may stand at
// either operand or the product, a softcap behind it; masks are added, or select. Rows whose keys are all hidden are
// zeros where a Where behind the Softmax turns NaN into 0, as PyTorch's exporters write, and else NaN:
// linnet::Attention, unless the mask cannot hide all. Two things are not as written: a key that a mask hides by
// -infinity counts as nothing though its score be NaN, and that Where turns no NaN into 0 that comes from q, k or v.
std::optional<Patch> fuse_attention(const Graph& graph, const Node& node) {
  const auto found = written_attention(graph, node);
  const auto* attention = std::get_if<WrittenAttention>(&found);
  if (!attention) return std::nullopt;
  Patch patch(graph);
  NodeSpec transpose = standard_spec(node, "Transpose", 13);
  transpose.attributes["perm"] = std::vector<int64_t>{0, 1, 3, 2};
  const ValueId k = patch.add(transpose, {attention->k_transposed});
  ValueId bias = kNoValue;
  for (const WrittenMask& mask : attention->masks) bias = add_mask(patch, node, mask, bias);
  NodeSpec spec = standard_spec(node, "Attention", 23);
  if (may_give_nan(graph, *attention)) {
    spec.domain = kInternalDomain;
    spec.attributes["nan_without_keys"] = int64_t{1};
  }
  spec.attributes["scale"] = float(attention->scale);
  if (attention->softcap > 0) spec.attributes["softcap"] = float(attention->softcap);
  std::vector<ValueId> inputs{attention->q, k, attention->v};
  if (bias != kNoValue) inputs.push_back(bias);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
