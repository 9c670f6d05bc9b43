#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "rewrites/matching/match.h"

// Formulas that exporters spell out as element-wise nodes, read back regardless of the order of the operands. Only
// float32 constants of one element count as numbers, and no value between the nodes may be read elsewhere.
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

/// The number that a value is, where it is one.
std::optional<double> number(const Graph& graph, ValueId value);

/// What a Mul, a Div by a number, or a power of 2 or 3 multiplies, a few nodes deep; any other node has one factor.
Monomial monomial_of(const Graph& graph, const Node& node);
/// The same for a value, which is its own factor unless it is read only once.
Monomial monomial_behind(const Graph& graph, ValueId value);

/// True for scale * value, with that value as the only factor.
bool is_multiple(const Monomial& monomial, ValueId value, double scale);

/// What an Add or Sub with a number computes, when its result is read only once.
std::optional<ShiftedValue> shifted_behind(const Graph& graph, ValueId value);

/// The node behind a value when it is that operator of ai.onnx and its result is read only once; else nullptr.
const Node* single_use(const Graph& graph, ValueId value, OpName op_type);

/// Equal but for the digits that exporters leave out of constants like 1/6.
bool nearly(double value, double want);

}  // namespace linnet
