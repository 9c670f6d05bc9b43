#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/deviation.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// inverse * scale: an inverse deviation times a constant.
struct Factor {
  ValueId inverse, scale;
};

std::optional<Factor> factor_of(const Graph& graph, ValueId value) {
  const Node* mul = graph.producer(value);
  for (size_t i = 0; mul && is_op(*mul, "Mul") && i < 2; ++i) {
    const ValueId inverse = mul->inputs[i], scale = mul->inputs[1 - i];
    const bool read_here = graph.only_consumer(inverse) == mul;
    if (read_here && graph.fact(scale).constant && inverse_deviation(graph, inverse)) return Factor{inverse, scale};
  }
  return std::nullopt;
}

/// Returns m if `value` is m * factor, or -m * factor if `negative`; else kNoValue.
ValueId mean_times(const Graph& graph, ValueId value, ValueId factor, bool negative) {
  if (const Node* neg = negative ? single_use(graph, value, "Neg") : nullptr) {
    return mean_times(graph, neg->inputs[0], factor, false);
  }
  const Node* mul = single_use(graph, value, "Mul");
  const ValueId other = mul ? other_input(*mul, factor) : kNoValue;
  if (other == kNoValue || !negative) return other;
  const Node* neg = single_use(graph, other, "Neg");
  return neg ? neg->inputs[0] : kNoValue;
}

/// bias - mean * factor.
struct Shift {
  ValueId bias, mean;
};

std::optional<Shift> shift_of(const Graph& graph, ValueId value, ValueId factor) {
  if (const Node* sub = single_use(graph, value, "Sub")) {
    const ValueId mean = mean_times(graph, sub->inputs[1], factor, false);
    return mean == kNoValue ? std::nullopt : std::optional(Shift{sub->inputs[0], mean});
  }
  const Node* add = single_use(graph, value, "Add");
  for (size_t i = 0; add && i < 2; ++i) {
    const ValueId mean = mean_times(graph, add->inputs[i], factor, true);
    if (mean != kNoValue) return Shift{add->inputs[1 - i], mean};
  }
  return std::nullopt;
}

/// The existing Sub that centres x, or a new one.
ValueId add_centered(Patch& patch, const Graph& graph, const Node& node, ValueId x, ValueId mean) {
  for (const NodeId reader : graph.consumers(x)) {
    const Node& sub = graph.node(reader);
    if (is_op(sub, "Sub") && sub.inputs == std::vector{x, mean}) return sub.outputs[0];
  }
  return patch.add(standard_spec(node, "Sub", 7), {x, mean});
}

ValueId add_scaled(Patch& patch, const Node& node, ValueId x, const Factor& factor) {
  const ValueId y = patch.add(standard_spec(node, "Mul", 7), {x, factor.inverse});
  return patch.add(standard_spec(node, "Mul", 7), {y, factor.scale});
}

std::optional<Patch> apart_from_product(const Graph& graph, const Node& mul) {
  for (size_t i = 0; i < 2; ++i) {
    const auto factor = factor_of(graph, mul.inputs[i]);
    if (!factor || graph.only_consumer(mul.inputs[i]) != &mul) continue;
    if (!same_shape(graph.fact(mul.inputs[1 - i]), graph.fact(mul.outputs[0]))) continue;
    Patch patch(graph);
    patch.replace(mul.outputs[0], add_scaled(patch, mul, mul.inputs[1 - i], *factor));
    return patch;
  }
  return std::nullopt;
}

std::optional<Patch> apart_from_sum(const Graph& graph, const Node& add) {
  for (size_t i = 0; i < 2; ++i) {
    const Node* mul = single_use(graph, add.inputs[i], "Mul");
    for (size_t j = 0; mul && j < 2; ++j) {
      const ValueId product = mul->inputs[j], x = mul->inputs[1 - j];
      const auto factor = factor_of(graph, product);
      const auto shift = factor ? shift_of(graph, add.inputs[1 - i], product) : std::nullopt;
      const Node* mean = shift ? graph.producer(shift->mean) : nullptr;
      if (!mean || !is_op(*mean, "ReduceMean") || mean->inputs[0] != x || graph.consumers(product).size() != 2)
        continue;
      Patch patch(graph);
      const ValueId y = add_scaled(patch, add, add_centered(patch, graph, add, x, shift->mean), *factor);
      patch.replace(add.outputs[0], patch.add(add.spec, {y, shift->bias}));
      return patch;
    }
  }
  return std::nullopt;
}

}  // namespace

// d * (inverse deviation * scale) -> d * inverse deviation * scale.
// x * f + (bias - mean * f) -> (x - mean) * inverse deviation * scale + bias, where f is that factor and mean that of
// x.
// TensorFlow, Keras and Flax write normalisations in these forms; recognize_normalization expects the results.
LINNET_DEFINE_REWRITE(separate_normalization_scale, "Mul", "Add")(const Graph& graph, const Node& node) {
  return is_op(node, "Mul") ? apart_from_product(graph, node) : apart_from_sum(graph, node);
}

}  // namespace linnet
