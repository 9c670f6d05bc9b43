#include "rewrites/matching/arithmetic_nodes.h"

#include <cmath>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// The depth of 0.044715 * x * x * x; no formula needs deeper products.
constexpr int kMaxDepth = 4;

void collect_node(const Graph& graph, const Node& node, int depth, Monomial& monomial);

void collect(const Graph& graph, ValueId value, int depth, Monomial& monomial) {
  if (const auto c = number(graph, value)) {
    monomial.scale *= *c;
    return;
  }
  const Node* node = depth < kMaxDepth && graph.only_consumer(value) ? graph.producer(value) : nullptr;
  if (node && (is_op(*node, "Mul") || is_op(*node, "Div") || is_op(*node, "Pow"))) {
    collect_node(graph, *node, depth + 1, monomial);
  } else {
    monomial.factors.push_back(value);
  }
}

void collect_power(const Graph& graph, const Node& node, int depth, Monomial& monomial) {
  const double exponent = number(graph, node.inputs[1]).value_or(0);
  const bool whole = exponent == 2 || exponent == 3;
  if (!whole) monomial.factors.push_back(node.outputs[0]);
  for (int i = 0; whole && i < int(exponent); ++i) collect(graph, node.inputs[0], depth, monomial);
}

void collect_node(const Graph& graph, const Node& node, int depth, Monomial& monomial) {
  const auto divisor = is_op(node, "Div") ? number(graph, node.inputs[1]) : std::nullopt;
  if (is_op(node, "Mul")) {
    collect(graph, node.inputs[0], depth, monomial);
    collect(graph, node.inputs[1], depth, monomial);
  } else if (divisor) {
    collect(graph, node.inputs[0], depth, monomial);
    monomial.scale /= *divisor;
  } else if (is_op(node, "Pow")) {
    collect_power(graph, node, depth, monomial);
  } else {
    monomial.factors.push_back(node.outputs[0]);
  }
}

}  // namespace

std::optional<double> number(const Graph& graph, ValueId value) {
  if (value == kNoValue) return std::nullopt;
  const Tensor& constant = graph.fact(value).constant;
  if (!constant || constant.dtype() != DType::kFloat32 || constant.size() != 1) return std::nullopt;
  return double(*constant.data<float>());
}

Monomial monomial_of(const Graph& graph, const Node& node) {
  Monomial monomial;
  collect_node(graph, node, 0, monomial);
  return monomial;
}

Monomial monomial_behind(const Graph& graph, ValueId value) {
  Monomial monomial;
  collect(graph, value, 0, monomial);
  return monomial;
}

bool is_multiple(const Monomial& monomial, ValueId value, double scale) {
  return monomial.factors == std::vector{value} && nearly(monomial.scale, scale);
}

std::optional<ShiftedValue> shifted_behind(const Graph& graph, ValueId value) {
  if (const Node* sub = single_use(graph, value, "Sub")) {
    if (const auto c = number(graph, sub->inputs[1])) return ShiftedValue{sub->inputs[0], -*c};
  }
  const Node* add = single_use(graph, value, "Add");
  if (!add) return std::nullopt;
  for (const size_t i : {0, 1}) {
    if (const auto c = number(graph, add->inputs[i])) return ShiftedValue{add->inputs[1 - i], *c};
  }
  return std::nullopt;
}

const Node* single_use(const Graph& graph, ValueId value, OpName op_type) {
  const Node* node = graph.producer(value);
  return node && is_op(*node, op_type) && graph.only_consumer(value) ? node : nullptr;
}

bool nearly(double value, double want) { return std::abs(value - want) <= 1e-5 * std::abs(want); }

}  // namespace linnet
