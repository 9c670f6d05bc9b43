#include <algorithm>
#include <limits>
#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/triangle.h"
#include "rewrites/matching/written_attention.h"

namespace linnet {
namespace {

constexpr int kMask = 3;
constexpr double kNever = -std::numeric_limits<double>::infinity();

bool hides(bool kept) { return !kept; }
bool hides(float bias) { return bias < -1e30f; }
bool keeps(bool kept) { return kept; }
bool keeps(float bias) { return bias == 0; }

/// Whether all matrices of a mask keep the keys up to the query's position and hide the others.
template <class T>
bool is_causal(const Tensor& mask) {
  const int64_t queries = mask.dim(mask.rank() - 2), keys = mask.dim(mask.rank() - 1);
  const T* at = mask.data<T>();
  for (int64_t row = 0; row < mask.size() / keys; ++row) {
    for (int64_t j = 0; j < keys; ++j, ++at) {
      if (j <= row % queries ? !keeps(*at) : !hides(*at)) return false;
    }
  }
  return true;
}

/// The number of queries or keys of an attention; unknown if the input has no axis of heads.
Dim length_of(const Graph& graph, const Node& attention, int input) {
  const Fact& x = graph.input_fact(attention, input);
  return x.has_rank() && x.rank() >= 3 ? x.dim(x.rank() == 3 ? 1 : 2) : Dim();
}

bool is_causal(const Graph& graph, const Node& attention, ValueId mask) {
  const Fact& fact = graph.fact(mask);
  const int rank = fact.has_rank() ? fact.rank() : 0;
  const bool whole = rank >= 2 && certainly_equal(length_of(graph, attention, 0), fact.dim(rank - 2)) &&
                     certainly_equal(length_of(graph, attention, 1), fact.dim(rank - 1));
  if (!whole) return false;
  const Tensor& constant = fact.constant;
  if (!constant) return is_written_triangle(graph, mask);
  if (constant.size() == 0) return false;
  if (constant.dtype() == DType::kBool) return is_causal<bool>(constant);
  return constant.dtype() == DType::kFloat32 && is_causal<float>(constant);
}

/// Whether `mask` has as many values for keys as `whole`.
bool covers_keys(const Fact& mask, const Fact& whole) {
  return mask.has_rank() && mask.rank() > 0 && whole.has_rank() && whole.rank() > 0 &&
         certainly_equal(mask.dim(mask.rank() - 1), whole.dim(whole.rank() - 1));
}

/// A patch that replaces the mask of an attention (kNoValue: no mask).
Patch with_mask(Patch patch, const Node& node, NodeSpec spec, ValueId mask) {
  std::vector<ValueId> inputs = node.inputs;
  inputs[kMask] = mask;
  patch.replace(node, patch.add_for(node, std::move(spec), inputs));
  return patch;
}

std::optional<Patch> as_causal(const Graph& graph, const Node& node) {
  const ValueId mask = node.inputs[kMask];
  const Node* both = producer(graph, node, kMask, "And");
  for (int i = 0; i < (both ? 2 : 1); ++i) {
    if (!is_causal(graph, node, both ? both->inputs[size_t(i)] : mask)) continue;
    const ValueId rest = both ? both->inputs[size_t(1 - i)] : kNoValue;
    if (both && !covers_keys(graph.fact(rest), graph.fact(mask))) continue;
    NodeSpec spec = node.spec;
    spec.attributes["is_causal"] = int64_t{1};
    // A query keeps at least the first key, so no result is NaN.
    if (!both && spec.attributes.erase(kNanWithoutKeys) > 0) spec.domain.clear();
    return with_mask(Patch(graph), node, spec, rest);
  }
  return std::nullopt;
}

bool is_true(const Tensor& constant) {
  return constant && constant.dtype() == DType::kBool &&
         std::ranges::all_of(constant.values<bool>(), [](bool kept) { return kept; });
}

std::optional<Patch> without_true(const Graph& graph, const Node& node) {
  const Node* both = producer(graph, node, kMask, "And");
  for (size_t i = 0; both && i < 2; ++i) {
    if (!is_true(graph.fact(both->inputs[i]).constant)) continue;
    const ValueId rest = both->inputs[1 - i];
    if (covers_keys(graph.fact(rest), graph.fact(node.inputs[kMask]))) {
      return with_mask(Patch(graph), node, node.spec, rest);
    }
  }
  return std::nullopt;
}

std::optional<Patch> as_condition(const Graph& graph, const Node& node) {
  const Node* where = producer(graph, node, kMask, "Where");
  if (!where || !covers_keys(graph.input_fact(*where, 0), graph.fact(node.inputs[kMask]))) return std::nullopt;
  const auto yes = number(graph, where->inputs[1]), no = number(graph, where->inputs[2]);
  Patch patch(graph);
  ValueId condition = where->inputs[0];
  if (yes == kNever && no == 0.0) {
    condition = patch.add(standard_spec(*where, "Not", 1), {condition});
  } else if (yes != 0.0 || no != kNever) {
    return std::nullopt;
  }
  return with_mask(std::move(patch), node, node.spec, condition);
}

std::optional<Patch> without_expand(const Graph& graph, const Node& node) {
  const Node* expand = producer(graph, node, kMask, "Expand");
  const bool broadcasts = expand && covers_keys(graph.input_fact(*expand, 0), graph.fact(node.inputs[kMask]));
  if (!broadcasts) return std::nullopt;
  return with_mask(Patch(graph), node, node.spec, expand->inputs[0]);
}

}  // namespace

// Simplifies the mask of an Attention:
// - Expand(m) -> m, because masks are broadcast,
// - Where(c, 0, -infinity) -> c, because boolean masks are supported,
// - And(true, c) -> c,
// - a mask that keeps the keys up to the query's position -> is_causal. It may be a constant or computed by nodes, and
//   may be an operand of And.
LINNET_DEFINE_REWRITE(simplify_attention_mask, "Attention", internal_op("Attention"))
(const Graph& graph, const Node& node) {
  if (node.inputs.size() != kMask + 1 || node.inputs[kMask] == kNoValue) return std::nullopt;
  if (auto patch = without_expand(graph, node)) return patch;
  if (auto patch = as_condition(graph, node)) return patch;
  if (auto patch = without_true(graph, node)) return patch;
  return as_causal(graph, node);
}

}  // namespace linnet
