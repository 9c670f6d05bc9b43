#include <cmath>
#include <numbers>

#include "functions/function_table.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/clip_bounds.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The parts of y = scale * x * gate(x).
struct Gated {
  const Graph& graph;
  ValueId x, gate;
  double scale;

  const Node* behind(ValueId value, OpName op_type) const { return single_use(graph, value, op_type); }
};

// Recognises x * Sigmoid(alpha * x).
std::optional<Activation> swish(const Gated& y) {
  const Node* sigmoid = y.behind(y.gate, "Sigmoid");
  if (!sigmoid || !nearly(y.scale, 1)) return std::nullopt;
  const Monomial inner = monomial_behind(y.graph, sigmoid->inputs[0]);
  if (inner.factors != std::vector{y.x}) return std::nullopt;
  return Activation{unary_function("Swish"), float(inner.scale)};
}

// The x of Clip(x + 3, 0, 6); else kNoValue.
ValueId inside_relu6_of_shifted(const Graph& graph, ValueId value) {
  const Node* clip = single_use(graph, value, "Clip");
  const auto bounds = clip ? clip_bounds(graph, *clip) : std::nullopt;
  if (!bounds || bounds->low != 0 || bounds->high != 6) return kNoValue;
  const auto shifted = shifted_behind(graph, clip->inputs[0]);
  return shifted && shifted->number == 3 ? shifted->summand : kNoValue;
}

// Recognises x * HardSigmoid(x, 1/6, 1/2), or x * Clip(x + 3, 0, 6) / 6.
std::optional<Activation> hard_swish(const Gated& y) {
  const Activation result{unary_function("HardSwish")};
  if (const Node* gate = y.behind(y.gate, "HardSigmoid")) {
    const bool matches = gate->inputs[0] == y.x && nearly(y.scale, 1) &&
                         nearly(double(gate->spec.attr_or("alpha", 0.2f)), 1.0 / 6) &&
                         gate->spec.attr_or("beta", 0.5f) == 0.5f;
    return matches ? std::optional(result) : std::nullopt;
  }
  if (inside_relu6_of_shifted(y.graph, y.gate) != y.x || !nearly(y.scale, 1.0 / 6)) return std::nullopt;
  return result;
}

// The t in 1 + f(t); else kNoValue.
ValueId inside_one_plus(const Gated& y, OpName function) {
  const auto sum = shifted_behind(y.graph, y.gate);
  const Node* node = sum && sum->number == 1 ? y.behind(sum->summand, function) : nullptr;
  return node ? node->inputs[0] : kNoValue;
}

// Recognises x / 2 * (1 + Erf(x / sqrt 2)).
std::optional<Activation> gelu(const Gated& y) {
  const ValueId inner = inside_one_plus(y, "Erf");
  if (inner == kNoValue || !nearly(y.scale, 0.5)) return std::nullopt;
  if (!is_multiple(monomial_behind(y.graph, inner), y.x, 1 / std::numbers::sqrt2)) return std::nullopt;
  return Activation{unary_function("Gelu")};
}

bool is_power(const Gated& y, ValueId value, size_t exponent, double scale) {
  const Monomial monomial = monomial_behind(y.graph, value);
  return monomial.factors == std::vector<ValueId>(exponent, y.x) && nearly(monomial.scale, scale);
}

// Whether a value is x + 0.044715 x^3.
bool is_cubic(const Gated& y, ValueId value) {
  const Node* add = y.behind(value, "Add");
  const ValueId other = add ? other_input(*add, y.x) : kNoValue;
  return other != kNoValue && is_power(y, other, 3, 0.044715);
}

// Whether a value is 1 + 0.044715 x^2.
bool is_quadratic(const Gated& y, ValueId value) {
  const auto sum = shifted_behind(y.graph, value);
  return sum && sum->number == 1 && is_power(y, sum->summand, 2, 0.044715);
}

// Recognises x / 2 * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), with the inner x factored out or not.
std::optional<Activation> gelu_tanh(const Gated& y) {
  const ValueId argument = inside_one_plus(y, "Tanh");
  if (argument == kNoValue || !nearly(y.scale, 0.5)) return std::nullopt;
  const Monomial inner = monomial_behind(y.graph, argument);
  if (!nearly(inner.scale, std::sqrt(2 / std::numbers::pi))) return std::nullopt;
  const std::vector<ValueId>& f = inner.factors;
  const bool matches = (f.size() == 1 && is_cubic(y, f[0])) ||
                       (f.size() == 2 && f[0] == y.x && is_quadratic(y, f[1])) ||
                       (f.size() == 2 && f[1] == y.x && is_quadratic(y, f[0]));
  if (!matches) return std::nullopt;
  return Activation{unary_function("GeluTanh")};
}

// Recognises x * Tanh(Softplus(x)).
std::optional<Activation> mish(const Gated& y) {
  const Node* tanh = y.behind(y.gate, "Tanh");
  const Node* softplus = tanh ? y.behind(tanh->inputs[0], "Softplus") : nullptr;
  if (!softplus || softplus->inputs[0] != y.x || !nearly(y.scale, 1)) return std::nullopt;
  return Activation{unary_function("Mish")};
}

std::optional<Activation> recognize(const Gated& y) {
  for (const auto formula : {swish, hard_swish, gelu, gelu_tanh, mish}) {
    if (auto found = formula(y)) return found;
  }
  return std::nullopt;
}

/// A function and its argument.
struct Recognized {
  Activation activation;
  ValueId x;
};

// Recognises Clip(x + 3, 0, 6) / 6, or a product of x and a function of x.
std::optional<Recognized> recognize(const Graph& graph, const Monomial& y) {
  const std::vector<ValueId>& f = y.factors;
  if (f.size() == 1 && nearly(y.scale, 1.0 / 6)) {
    const ValueId x = inside_relu6_of_shifted(graph, f[0]);
    if (x != kNoValue) return Recognized{{unary_function("HardSigmoid"), 1.f / 6, 0.5f}, x};
  }
  for (size_t i = 0; f.size() == 2 && i < 2; ++i) {
    if (auto formula = recognize({graph, f[i], f[1 - i], y.scale})) return Recognized{*formula, f[i]};
  }
  return std::nullopt;
}

}  // namespace

// Activations that exporters write as formulas, such as x * Sigmoid(x) -> the operators of later opsets, which compute
// them in one pass and fuse into products: Swish, HardSigmoid, HardSwish, Gelu, Mish.
// Sources: Ramachandran et al., arXiv:1710.05941; Howard et al., arXiv:1905.02244; Hendrycks and Gimpel,
// arXiv:1606.08415; Misra, arXiv:1908.08681.
LINNET_DEFINE_REWRITE(recognize_activation, "Mul", "Div")(const Graph& graph, const Node& node) {
  const auto found = recognize(graph, monomial_of(graph, node));
  if (!found || !same_shape(graph.fact(found->x), graph.fact(node.outputs[0]))) return std::nullopt;
  const UnaryFunction& function = *found->activation.function;
  NodeSpec spec = standard_spec(node, function.op_type(), function.since);
  spec.attributes = attributes_of(found->activation);
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, {found->x}));
  return patch;
}

}  // namespace linnet
