#include "rewrites/matching/written_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "infer/infer.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/movement.h"

namespace linnet {
namespace {

constexpr int kMostMasks = 4;
// In a sum with a finite number below this, a score is lost to rounding.
constexpr float kHides = -1e30f;

/// A value without the numeric factors that it is multiplied by.
struct Scaled {
  ValueId value;
  double scale;
};

Scaled unscaled(const Graph& graph, ValueId value) {
  const Monomial monomial = monomial_behind(graph, value);
  const bool one = monomial.factors.size() == 1 && std::isfinite(monomial.scale) && monomial.scale != 0;
  if (!one || !same_shape(graph.fact(value), graph.fact(monomial.factors[0]))) return {value, 1};
  return {monomial.factors[0], monomial.scale};
}

/// Finds the product of scores, and sets scale and softcap: in softcap * Tanh(s) the outer factor is the softcap.
const Node* score_product(const Graph& graph, ValueId scores, WrittenAttention& attention) {
  Scaled s = unscaled(graph, scores);
  if (const Node* tanh = single_use(graph, s.value, "Tanh"); tanh && s.scale > 0) {
    attention.softcap = s.scale;
    s = unscaled(graph, tanh->inputs[0]);
    s.scale *= attention.softcap;
  }
  const Node* product = single_use(graph, s.value, "MatMul");
  if (!product) return nullptr;
  const Scaled q = unscaled(graph, product->inputs[0]), k = unscaled(graph, product->inputs[1]);
  attention.scale = s.scale * q.scale * k.scale;
  attention.q = q.value;
  attention.k_transposed = k.value;
  return product;
}

std::optional<WrittenMask> selection(const Graph& graph, const Node& where, int scores) {
  const auto hidden = number(graph, where.inputs[size_t(3 - scores)]);
  if (!hidden || !(*hidden < double(kHides))) return std::nullopt;
  return WrittenMask{kNoValue, where.inputs[0], scores == 1, float(*hidden)};
}

/// Finds the product of scores through their masks, which it inserts at the front of attention.masks.
const Node* masked_product(const Graph& graph, ValueId scores, WrittenAttention& attention) {
  if (const Node* product = score_product(graph, scores, attention)) return product;
  if (attention.masks.size() == kMostMasks) return nullptr;
  const Node* add = single_use(graph, scores, "Add");
  const Node* node = add ? add : single_use(graph, scores, "Where");
  for (int i = add ? 0 : 1; node && i < (add ? 2 : 3); ++i) {
    const auto mask = add ? std::optional(WrittenMask{add->inputs[size_t(1 - i)]}) : selection(graph, *node, i);
    if (!mask) continue;
    WrittenAttention inner = attention;
    inner.masks.insert(inner.masks.begin(), *mask);
    if (const Node* product = masked_product(graph, node->inputs[size_t(i)], inner)) {
      attention = std::move(inner);
      return product;
    }
  }
  return nullptr;
}

/// The p of Where(IsNaN(p), 0, p), which has p's shape; else kNoValue.
ValueId guarded_probabilities(const Graph& graph, const Node& where) {
  const Node* is_nan = single_use(graph, where.inputs[0], "IsNaN");
  const ValueId p = where.inputs[2];
  const bool matches = is_nan && is_nan->inputs[0] == p && number(graph, where.inputs[1]) == 0.0 &&
                       graph.consumers(p).size() == 2 && !graph.is_output(p) &&
                       same_shape(graph.fact(p), graph.fact(where.outputs[0]));
  return matches ? p : kNoValue;
}

/// The Softmax that produces the probabilities that a product reads; else nullptr.
const Node* softmax_behind(const Graph& graph, ValueId probabilities, WrittenAttention& attention) {
  if (const Node* where = single_use(graph, probabilities, "Where")) {
    const ValueId p = guarded_probabilities(graph, *where);
    const Node* softmax = graph.producer(p);
    attention.zero_where_nan = p != kNoValue;
    return softmax && is_op(*softmax, "Softmax") ? softmax : nullptr;
  }
  return single_use(graph, probabilities, "Softmax");
}

bool along_last_axis(const Graph& graph, const Node& softmax) {
  const Fact& x = graph.input_fact(softmax, 0);
  const int64_t axis = softmax.spec.attr_or("axis", softmax.spec.opset < 13 ? 1 : -1);
  return x.has_rank() && normalize_axis(axis, x.rank()) == x.rank() - 1;
}

/// Whether batches and lengths are equal, and heads too unless K and V have one for all.
bool fit_together(const Fact& q, const Fact& k, const Fact& v) {
  for (const Fact* x : {&q, &k, &v}) {
    if (x->dtype != DType::kFloat32 || !x->has_rank() || x->rank() != q.rank()) return false;
  }
  const int rows = q.rank() - 2, heads = rows - 1;
  if (q.rank() != 3 && q.rank() != 4) return false;
  const auto same = [](const Dim& a, const Dim& b) { return certainly_equal(a, b); };
  const bool same_batch = q.rank() == 3 || (same(q.dim(0), k.dim(0)) && same(q.dim(0), v.dim(0)));
  const bool same_heads =
      same(k.dim(heads), v.dim(heads)) && (same(k.dim(heads), q.dim(heads)) || same(k.dim(heads), 1));
  return same_batch && same_heads && same(q.dim(rows + 1), k.dim(rows)) && same(k.dim(rows + 1), v.dim(rows));
}

bool masks_fit(const Graph& graph, const WrittenAttention& attention, const Fact& scores) {
  const auto covers_keys = [&](const WrittenMask& mask) {
    const Fact& fact = graph.fact(mask.summand == kNoValue ? mask.condition : mask.summand);
    return fact.has_rank() && fact.rank() > 0 &&
           certainly_equal(fact.dim(fact.rank() - 1), scores.dim(scores.rank() - 1));
  };
  return attention.masks.empty() || std::ranges::any_of(attention.masks, covers_keys);
}

bool all_finite(const Tensor& x) {
  return x.dtype() == DType::kFloat32 &&
         std::ranges::all_of(x.values<float>(), [](float value) { return std::isfinite(value); });
}

bool has_finite_elements(const Graph& graph, ValueId value) {
  if (const Tensor& constant = graph.fact(value).constant) return all_finite(constant);
  const Node* node = graph.producer(value);
  if (!node) return false;
  if (is_op(*node, "Where")) {
    return has_finite_elements(graph, node->inputs[1]) && has_finite_elements(graph, node->inputs[2]);
  }
  const std::vector<size_t> moved = moved_inputs(*node);
  return !moved.empty() &&
         std::ranges::all_of(moved, [&](size_t input) { return has_finite_elements(graph, node->inputs[input]); });
}

}  // namespace

bool is_finite(const Graph& graph, const WrittenMask& mask) {
  return mask.summand == kNoValue ? std::isfinite(mask.hidden) : has_finite_elements(graph, mask.summand);
}

std::string attention_obstacle(const Graph& graph, const Node& node) {
  const auto found = written_attention(graph, node);
  const auto* obstacle = std::get_if<std::string>(&found);
  return obstacle ? *obstacle : "";
}

std::variant<WrittenAttention, std::string> written_attention(const Graph& graph, const Node& node) {
  WrittenAttention attention;
  if (!is_op(node, "MatMul")) return "";
  const Node* softmax = softmax_behind(graph, node.inputs[0], attention);
  if (!softmax) return "";
  attention.v = node.inputs[1];
  if (!along_last_axis(graph, *softmax)) return "its Softmax is not along the keys";
  const Node* product = masked_product(graph, softmax->inputs[0], attention);
  if (!product) return "its Softmax does not read a product of queries and keys that has no other reader";
  const Fact &q = graph.fact(attention.q), &k = graph.fact(attention.k_transposed), &v = graph.fact(attention.v);
  if (!fit_together(q, k, v)) return str("Q ", q, ", K transposed ", k, " and V ", v, " are not of one attention");
  const Fact &scores = graph.fact(product->outputs[0]), &masked = graph.fact(softmax->inputs[0]);
  if (!same_shape(scores, masked)) return str("its masks change the scores' shape ", scores, " to ", masked);
  if (!masks_fit(graph, attention, scores)) return "no mask has a value for each key";
  return attention;
}

}  // namespace linnet
