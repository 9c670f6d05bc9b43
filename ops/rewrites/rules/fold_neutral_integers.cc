#include <algorithm>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool all_are(const Graph& graph, const Node& node, size_t input, int64_t number) {
  const Fact& fact = graph.fact(node.inputs[input]);
  if (fact.dtype != DType::kInt64 && fact.dtype != DType::kInt32) return false;
  const auto values = constant_ints(fact);
  return values && !values->empty() && std::ranges::all_of(*values, [&](int64_t value) { return value == number; });
}

/// The input that the node returns unchanged; nullopt if it changes both.
std::optional<size_t> kept_input(const Graph& graph, const Node& node) {
  const bool sum = is_op(node, "Add"), product = is_op(node, "Mul");
  const int64_t neutral = sum || is_op(node, "Sub") ? 0 : 1;
  for (size_t i = 0; i < 2; ++i) {
    const bool may = i == 0 || sum || product;
    const bool same = same_dims(graph.fact(node.inputs[i]), graph.fact(node.outputs[0]));
    if (may && same && all_are(graph, node, 1 - i, neutral)) return i;
  }
  return std::nullopt;
}

bool is_zero(const Graph& graph, const Node& node) {
  const Fact& y = graph.fact(node.outputs[0]);
  return is_op(node, "Mul") && y.concrete() && y.shape().elements() == 1 &&
         (all_are(graph, node, 0, 0) || all_are(graph, node, 1, 0));
}

}  // namespace

// Integer arithmetic that exporters write for positions: x + 0, x - 0, x * 1, x / 1 -> x; x * 0 -> 0 for one number.
LINNET_DEFINE_REWRITE(fold_neutral_integers, "Add", "Mul", "Sub", "Div")(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2 || graph.is_output(node.outputs[0])) return std::nullopt;
  Patch patch(graph);
  if (const auto input = kept_input(graph, node)) {
    patch.replace(node.outputs[0], node.inputs[*input]);
  } else if (is_zero(graph, node)) {
    const Fact& y = graph.fact(node.outputs[0]);
    Tensor zero(y.dtype, y.shape());
    std::fill_n(static_cast<std::byte*>(zero.raw()), zero.bytes(), std::byte{0});
    patch.replace(node.outputs[0], patch.constant(node.spec.name + ".zero", zero));
  } else {
    return std::nullopt;
  }
  return patch;
}

}  // namespace linnet
