#include "rewrites/matching/triangle.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "infer/infer.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr int kColumns = 1, kRows = 2;  // axes, counted from the end
constexpr int kMostNodes = 16;          // between a comparison and its counts, or between it and the mask

std::optional<int64_t> integer(const Graph& graph, ValueId value) {
  const auto numbers = value == kNoValue ? std::nullopt : constant_ints(graph.fact(value));
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

bool is_any_of(const Node* node, std::initializer_list<OpName> ops) {
  return node && std::any_of(ops.begin(), ops.end(), [&](OpName op) { return is_op(*node, op); });
}

/// The consecutive integers from `first` along an axis.
struct Count {
  int axis;  ///< from the end
  int64_t first;
};

/// The only axis whose dim is not 1, counted from the end.
std::optional<int> only_axis(const Fact& fact) {
  std::optional<int> axis;
  for (int d = 0; fact.has_rank() && d < fact.rank(); ++d) {
    if (certainly_equal(fact.dim(d), 1)) continue;
    if (axis) return std::nullopt;
    axis = fact.rank() - d;
  }
  return axis;
}

std::optional<Count> count_of(const Graph& graph, ValueId value) {
  const auto axis = only_axis(graph.fact(value));
  int64_t first = 0;
  for (int i = 0; i < kMostNodes && axis; ++i) {
    const Node* node = graph.producer(value);
    if (!node) return std::nullopt;
    if (is_any_of(node, {"Unsqueeze", "Squeeze", "Reshape", "Identity"})) {
      value = node->inputs[0];
    } else if (is_op(*node, "Cast") && !is_floating(graph.fact(node->outputs[0]).dtype)) {
      value = node->inputs[0];
    } else if (is_op(*node, "Add")) {
      const auto left = integer(graph, node->inputs[0]), right = integer(graph, node->inputs[1]);
      if (left.has_value() == right.has_value()) return std::nullopt;
      first += left ? *left : *right;
      value = node->inputs[left ? 1 : 0];
    } else {
      const auto start = is_op(*node, "Range") ? integer(graph, node->inputs[0]) : std::nullopt;
      if (!start || integer(graph, node->inputs[2]) != 1) return std::nullopt;
      return Count{*axis, first + *start};
    }
  }
  return std::nullopt;
}

/// The comparison less < more (strict) or less <= more.
struct Order {
  ValueId less, more;
  bool strict;
};

std::optional<Order> order_of(const Graph& graph, const Node& node) {
  const bool strict = is_any_of(&node, {"Less", "Greater"});
  if (is_any_of(&node, {"Less", "LessOrEqual"})) return Order{node.inputs[0], node.inputs[1], strict};
  if (is_any_of(&node, {"Greater", "GreaterOrEqual"})) return Order{node.inputs[1], node.inputs[0], strict};
  const Node* opposite = is_op(node, "Not") ? graph.producer(node.inputs[0]) : nullptr;
  const auto order = opposite && !is_op(*opposite, "Not") ? order_of(graph, *opposite) : std::nullopt;
  return order ? std::optional(Order{order->more, order->less, !order->strict}) : std::nullopt;
}

bool keeps_columns_up_to_row(const Graph& graph, const Order& order) {
  const auto columns = count_of(graph, order.less), rows = count_of(graph, order.more);
  return columns && rows && columns->axis == kColumns && rows->axis == kRows &&
         rows->first - columns->first == (order.strict ? 1 : 0);
}

bool is_true(const Tensor& element) { return element && element.dtype() == DType::kBool && *element.data<bool>(); }

/// The common value of all elements, as a tensor of one element; empty if they may differ.
Tensor repeated_element(const Graph& graph, ValueId value) {
  const Tensor& constant = graph.fact(value).constant;
  if (constant) return constant.size() == 1 ? constant : Tensor();
  const Node* node = graph.producer(value);
  if (!node || !is_op(*node, "ConstantOfShape")) return {};
  return node->spec.attr_or("value", Tensor::of(std::vector<float>{0}));
}

bool differs_from_zero(const Tensor& element) {
  if (!element) return false;
  if (element.dtype() == DType::kBool) return is_true(element);
  if (element.dtype() == DType::kFloat32) return *element.data<float>() != 0;
  return element.dtype() == DType::kInt64 && *element.data<int64_t>() != 0;
}

/// Whether a Trilu is a lower triangle of a nonzero element that is true as bool (by Cast or dtype), or an upper
/// triangle of an element below -1e30.
bool is_triangle(const Graph& graph, const Node& trilu, bool as_bool) {
  const ValueId k = optional_input(trilu, 1);
  const auto diagonal = k == kNoValue ? std::optional<int64_t>(0) : integer(graph, k);
  const bool upper = trilu.spec.attr_or("upper", true);
  if (diagonal != (upper ? 1 : 0)) return false;
  const Tensor element = repeated_element(graph, trilu.inputs[0]);
  if (!upper) return (as_bool || (element && element.dtype() == DType::kBool)) && differs_from_zero(element);
  return !as_bool && element && element.dtype() == DType::kFloat32 && *element.data<float>() < -1e30f;
}

bool same_matrices(const Fact& a, const Fact& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() < 2 || b.rank() < 2) return false;
  return certainly_equal(a.dim(a.rank() - 1), b.dim(b.rank() - 1)) &&
         certainly_equal(a.dim(a.rank() - 2), b.dim(b.rank() - 2));
}

bool makes_triangle(const Graph& graph, const Node& node) {
  if (is_op(node, "Trilu")) return is_triangle(graph, node, false);
  if (is_op(node, "Cast") && graph.fact(node.outputs[0]).dtype == DType::kBool) {
    const Node* trilu = producer(graph, node, 0, "Trilu");
    return trilu && is_triangle(graph, *trilu, true);
  }
  const auto order = order_of(graph, node);
  return order && keeps_columns_up_to_row(graph, *order);
}

}  // namespace

bool is_written_triangle(const Graph& graph, ValueId value) {
  for (int i = 0; i < kMostNodes; ++i) {
    const Node* node = graph.producer(value);
    if (!node) return false;
    if (is_any_of(node, {"Unsqueeze", "Expand", "Identity"})) {
      if (!same_matrices(graph.input_fact(*node, 0), graph.fact(value))) return false;
      value = node->inputs[0];
    } else if (is_op(*node, "And")) {
      const bool first = is_true(repeated_element(graph, node->inputs[0]));
      if (!first && !is_true(repeated_element(graph, node->inputs[1]))) return false;
      value = node->inputs[first ? 1 : 0];
    } else {
      return makes_triangle(graph, *node);
    }
  }
  return false;
}

}  // namespace linnet
