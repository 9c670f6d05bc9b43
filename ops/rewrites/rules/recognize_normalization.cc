#include <algorithm>

#include "infer/infer.h"
#include "rewrites/matching/arithmetic.h"
#include "rewrites/matching/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

// The axis from which on a ReduceMean reduces all, keeping dims; nullopt for any other.
std::optional<int> first_reduced_axis(const Graph& graph, const Node& mean) {
  const Fact& x = graph.input_fact(mean, 0);
  auto axes = reduced_axes(graph, mean);
  if (!axes || !x.has_rank() || mean.spec.attr_or("keepdims", 1) == 0) return std::nullopt;
  for (int64_t& axis : *axes) axis = normalize_axis(axis, x.rank());
  std::sort(axes->begin(), axes->end());
  const int first = x.rank() - int(axes->size());
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] != first + int(i)) return std::nullopt;
  }
  return first;
}

/// Sqrt(ReduceMean(x * x) + epsilon)
struct Deviation {
  ValueId x = kNoValue;
  NodeId square = kNoValue;
  int axis = 0;
  float epsilon = 0;
};

std::optional<Deviation> deviation_behind(const Graph& graph, ValueId value) {
  const Node* root = single_use(graph, value, "Sqrt");
  const auto shifted = root ? shifted_behind(graph, root->inputs[0]) : std::nullopt;
  const Node* mean = shifted ? single_use(graph, shifted->summand, "ReduceMean") : nullptr;
  const auto axis = mean ? first_reduced_axis(graph, *mean) : std::nullopt;
  if (!axis || shifted->number < 0) return std::nullopt;
  const Monomial square = monomial_behind(graph, mean->inputs[0]);
  const std::vector<ValueId>& f = square.factors;
  if (f.size() != 2 || f[0] != f[1] || square.scale != 1) return std::nullopt;
  return Deviation{f[0], graph.producer(mean->inputs[0])->id, *axis, float(shifted->number)};
}

// What 1 / d is the inverse of.
ValueId inverted_behind(const Graph& graph, ValueId value) {
  if (const Node* reciprocal = single_use(graph, value, "Reciprocal")) return reciprocal->inputs[0];
  const Node* div = single_use(graph, value, "Div");
  return div && number(graph, div->inputs[0]) == 1.0 ? div->inputs[1] : kNoValue;
}

// The deviation that the node divides its x by.
std::optional<Deviation> dividing_deviation(const Graph& graph, const Node& node) {
  for (int i = 0; i < 2; ++i) {
    const ValueId x = node.inputs[size_t(i)], other = node.inputs[size_t(1 - i)];
    if (is_op(node, "Div") && i == 1) break;
    const ValueId divisor = is_op(node, "Div") ? other : inverted_behind(graph, other);
    const auto deviation = divisor != kNoValue ? deviation_behind(graph, divisor) : std::nullopt;
    if (deviation && deviation->x == x) return deviation;
  }
  return std::nullopt;
}

// The x of x - ReduceMean(x) over the same axes, read by the pattern alone; kNoValue for any other value.
ValueId centered_source(const Graph& graph, const Deviation& deviation, const Node& node) {
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
// subtraction -> RMSNormalization(x, 1), over the last axes; float32. Scale and bias behind it fold in afterwards.
// Sources: Ba et al., arXiv:1607.06450; Zhang and Sennrich, arXiv:1910.07467.
std::optional<Patch> recognize_normalization(const Graph& graph, const Node& node) {
  if (!is_op(node, "Div") && !is_op(node, "Mul")) return std::nullopt;
  const auto deviation = dividing_deviation(graph, node);
  if (!deviation) return std::nullopt;
  const ValueId centered = centered_source(graph, *deviation, node);
  const ValueId x = centered != kNoValue ? centered : deviation->x;
  const Fact& fact = graph.fact(x);
  const auto normalized = known_dims_from(graph.fact(deviation->x), deviation->axis);
  if (!normalized || !same_shape(fact, graph.fact(node.outputs[0]))) return std::nullopt;
  NodeSpec spec = centered != kNoValue ? standard_spec(node, "LayerNormalization", 17)
                                       : standard_spec(node, "RMSNormalization", 23);
  spec.attributes["axis"] = int64_t{deviation->axis - fact.rank()};
  spec.attributes["epsilon"] = deviation->epsilon;
  Patch patch(graph);
  Tensor ones(DType::kFloat32, *normalized);
  std::fill_n(ones.data<float>(), ones.size(), 1.f);
  patch.replace(node.outputs[0], patch.add(spec, {x, patch.constant(node.spec.name + ".scale", ones)}));
  return patch;
}

}  // namespace linnet
