#include "rewrites/matching/deviation.h"

#include <algorithm>

#include "infer/infer.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// Recognises Mean(x^2).
std::optional<Deviation> mean_square(const Graph& graph, ValueId value) {
  const Node* mean = single_use(graph, value, "ReduceMean");
  const auto axis = mean ? first_reduced_axis(graph, *mean) : std::nullopt;
  if (!axis) return std::nullopt;
  const Monomial square = monomial_behind(graph, mean->inputs[0]);
  const std::vector<ValueId>& f = square.factors;
  if (f.size() != 2 || f[0] != f[1] || square.scale != 1) return std::nullopt;
  return Deviation{f[0], kNoValue, graph.producer(mean->inputs[0])->id, *axis, 0};
}

// The v in Max(v, 0), which guards against rounding; any other value itself.
ValueId inside_max_zero(const Graph& graph, ValueId value) {
  const Node* max = single_use(graph, value, "Max");
  for (size_t i = 0; max && max->inputs.size() == 2 && i < 2; ++i) {
    if (number(graph, max->inputs[i]) == 0.0) return max->inputs[1 - i];
  }
  return value;
}

// Recognises Mean(x^2) - Mean(x)^2.
std::optional<Deviation> variance(const Graph& graph, ValueId value) {
  const Node* sub = single_use(graph, inside_max_zero(graph, value), "Sub");
  auto found = sub ? mean_square(graph, sub->inputs[0]) : std::nullopt;
  if (!found) return std::nullopt;
  const Monomial square = monomial_behind(graph, sub->inputs[1]);
  const std::vector<ValueId>& f = square.factors;
  if (f.size() != 2 || f[0] != f[1] || square.scale != 1) return std::nullopt;
  const Node* mean = graph.producer(f[0]);
  const bool matches = mean && is_op(*mean, "ReduceMean") && mean->inputs[0] == found->x &&
                       first_reduced_axis(graph, *mean) == found->axis;
  found->mean = f[0];
  return matches ? found : std::nullopt;
}

// Recognises v + epsilon.
std::optional<Deviation> shifted_variance(const Graph& graph, ValueId value) {
  const auto shifted = shifted_behind(graph, value);
  if (!shifted || shifted->number < 0) return std::nullopt;
  auto found = mean_square(graph, shifted->summand);
  if (!found) found = variance(graph, shifted->summand);
  if (found) found->epsilon = float(shifted->number);
  return found;
}

}  // namespace

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

std::optional<Deviation> deviation_behind(const Graph& graph, ValueId value) {
  const Node* root = single_use(graph, value, "Sqrt");
  return root ? shifted_variance(graph, root->inputs[0]) : std::nullopt;
}

std::optional<Deviation> inverse_deviation(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!node) return std::nullopt;
  if (is_op(*node, "Reciprocal")) return deviation_behind(graph, node->inputs[0]);
  if (is_op(*node, "Div") && number(graph, node->inputs[0]) == 1.0) return deviation_behind(graph, node->inputs[1]);
  if (is_op(*node, "Pow") && number(graph, node->inputs[1]) == -0.5) return shifted_variance(graph, node->inputs[0]);
  return std::nullopt;
}

}  // namespace linnet
