#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/deviation.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// A value that a node divides by its own deviation, or by that of the value from which it was centred.
struct Quotient {
  ValueId dividend;
  Deviation deviation;
};

// Whether a value is x, or x - mean if the deviation is that of x.
bool is_dividend(const Graph& graph, ValueId value, const Deviation& deviation) {
  if (deviation.mean == kNoValue) return value == deviation.x;
  const Node* sub = single_use(graph, value, "Sub");
  return sub && sub->inputs[0] == deviation.x && sub->inputs[1] == deviation.mean;
}

std::optional<Quotient> quotient_of(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < 2; ++i) {
    const ValueId dividend = node.inputs[i], other = node.inputs[1 - i];
    if (is_op(node, "Div") && i == 1) break;
    if (is_op(node, "Mul") && !graph.only_consumer(other)) continue;
    const auto deviation = is_op(node, "Div") ? deviation_behind(graph, other) : inverse_deviation(graph, other);
    if (deviation && is_dividend(graph, dividend, *deviation)) return Quotient{dividend, *deviation};
  }
  return std::nullopt;
}

// The x of x - ReduceMean(x) over the same axes, if only the pattern reads it; kNoValue for any other value.
ValueId centered_source(const Graph& graph, const Deviation& deviation, const Node& node) {
  if (deviation.mean != kNoValue) return deviation.x;
  const Node* sub = graph.producer(deviation.x);
  if (!sub || !is_op(*sub, "Sub") || graph.is_output(deviation.x)) return kNoValue;
  for (const NodeId reader : graph.consumers(deviation.x)) {
    if (reader != node.id && reader != deviation.square) return kNoValue;
  }
  const Node* mean = single_use(graph, sub->inputs[1], "ReduceMean");
  const bool matches = mean && mean->inputs[0] == sub->inputs[0] && first_reduced_axis(graph, *mean) == deviation.axis;
  return matches ? sub->inputs[0] : kNoValue;
}

std::optional<Shape> known_dims_from(const Fact& x, int axis) {
  Shape shape;
  for (int i = axis; i < x.rank(); ++i) {
    if (!x.dim(i).known()) return std::nullopt;
    shape.push_back(x.dim(i).value());
  }
  return shape;
}

}  // namespace

// (x - ReduceMean(x)) / Sqrt(ReduceMean((x - ReduceMean(x))^2) + epsilon) -> LayerNormalization(x, 1), and without the
// subtraction -> RMSNormalization(x, 1), over the last axes, in float32. The variance may be written as the mean square
// minus the square of the mean. A scale and bias that follow are folded in afterwards.
// Sources: Ba et al., arXiv:1607.06450; Zhang and Sennrich, arXiv:1910.07467.
LINNET_DEFINE_REWRITE(recognize_normalization, "Div", "Mul")(const Graph& graph, const Node& node) {
  const auto quotient = quotient_of(graph, node);
  if (!quotient) return std::nullopt;
  const Deviation& deviation = quotient->deviation;
  const ValueId centered = centered_source(graph, deviation, node);
  const ValueId x = centered != kNoValue ? centered : deviation.x;
  const Fact& fact = graph.fact(x);
  const auto normalized = known_dims_from(graph.fact(quotient->dividend), deviation.axis);
  if (!normalized || !same_shape(fact, graph.fact(node.outputs[0]))) return std::nullopt;
  NodeSpec spec = centered != kNoValue ? standard_spec(node, "LayerNormalization", 17)
                                       : standard_spec(node, "RMSNormalization", 23);
  spec.attributes["axis"] = int64_t{deviation.axis - fact.rank()};
  spec.attributes["epsilon"] = deviation.epsilon;
  Patch patch(graph);
  Tensor ones(DType::kFloat32, *normalized);
  std::fill_n(ones.data<float>(), ones.size(), 1.f);
  patch.replace(node.outputs[0], patch.add(spec, {x, patch.constant(node.spec.name + ".scale", ones)}));
  return patch;
}

}  // namespace linnet
