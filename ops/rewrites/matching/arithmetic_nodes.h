#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "rewrites/matching/match.h"

// Recognises formulas that exporters write as element-wise nodes, whatever the order of the operands. Only float32
// constants of one element count as numbers, and no other node may read a value between the nodes.
namespace linnet {

/// scale times all factors; a factor appears once for each time it is multiplied.
struct Monomial {
  double scale = 1;
  std::vector<ValueId> factors;
};

/// summand + number.
struct ShiftedValue {
  ValueId summand = kNoValue;
  double number = 0;
};

/// The number in a value; nullopt if the value is not a constant number.
std::optional<double> number(const Graph& graph, ValueId value);

/// The factors of a Mul, a Div by a number, or a power of 2 or 3, through a few nested nodes; any other node is its own
/// factor.
Monomial monomial_of(const Graph& graph, const Node& node);
/// The factors of the node that produces a value. A value that is not read exactly once is its own factor.
Monomial monomial_behind(const Graph& graph, ValueId value);

/// True for scale * value, with that value as the only factor.
bool is_multiple(const Monomial& monomial, ValueId value, double scale);

/// The sum that an Add or Sub with a number computes, if its result is read exactly once; else nullopt.
std::optional<ShiftedValue> shifted_behind(const Graph& graph, ValueId value);

/// The node that produces a value, if it is that operator of ai.onnx and its result is read exactly once; else nullptr.
const Node* single_use(const Graph& graph, ValueId value, OpName op_type);

/// Whether two numbers are equal up to the digits that exporters omit from constants such as 1/6.
bool nearly(double value, double want);

}  // namespace linnet
