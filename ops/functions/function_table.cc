#include "functions/function_table.h"

#include <cmath>
#include <limits>

#include "functions/scalar_functions.h"
#include "functions/scalar_loop.h"
#include "kernels/binary.h"
#include "kernels/unary.h"

namespace linnet {
namespace {

using U = UnaryKernels;
using B = BinaryKernels;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr auto kAffine = floats([](auto x, auto a, auto b) { return a * x + b; });
constexpr auto kCelu = floats([](auto x, auto a, auto) { return x < 0 ? a * std::expm1(x / a) : x; });
constexpr auto kClip = floats([](auto x, auto low, auto high) { return scalar::clip(x, low, high); });
constexpr auto kElu = floats([](auto x, auto a, auto) { return scalar::elu(x, a); });
constexpr auto kGelu = floats([](auto x, auto...) { return scalar::gelu(x); });
constexpr auto kGeluTanh = floats([](auto x, auto...) { return scalar::gelu_tanh(x); });
constexpr auto kHardSigmoid = floats([](auto x, auto a, auto b) { return scalar::unit_clamp(a * x + b); });
constexpr auto kHardSwish = floats([]<class T>(T x, auto...) { return x * scalar::unit_clamp(x / 6 + T(0.5)); });
constexpr auto kLeakyRelu = floats([](auto x, auto a, auto) { return x < 0 ? a * x : x; });
constexpr auto kMish = floats([](auto x, auto...) { return x * std::tanh(scalar::softplus(x)); });
constexpr auto kRelu = numbers([]<class T>(T x, auto...) { return x < 0 ? T(0) : x; });
constexpr auto kScaledTanh = floats([](auto x, auto a, auto b) { return a * std::tanh(b * x); });
constexpr auto kSelu = floats([](auto x, auto a, auto gamma) { return gamma * scalar::elu(x, a); });
constexpr auto kShrink =
    numbers([]<class P>(auto x, P bias, P lambd) { return scalar::shrink(static_cast<P>(x), bias, lambd); });
constexpr auto kSign = numbers([]<class T>(T x, auto...) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; });
constexpr auto kSwish = floats([](auto x, auto a, auto) { return x / (1 + std::exp(-a * x)); });
constexpr auto kThresholdedRelu = floats([]<class T>(T x, T a, T) { return x > a ? x : 0; });

Range at_least_zero(float, float) { return {0, kInfinity}; }
Range between(float low, float high) { return {low, high}; }

Dim magnitude_of(const Dim& x) { return max(x, 0 - x); }
Dim negative_of(const Dim& x) { return 0 - x; }
Dim raised_to_zero(const Dim& x) { return max(x, 0); }
Dim sign_of(const Dim& x) {
  return certainly_at_least(x, 1) ? 1 : certainly_at_least(-1, x) ? -1 : certainly_equal(x, 0) ? 0 : Dim();
}

constexpr UnaryFunction kUnary[] = {
    {"Abs",
     1,
     &U::abs,
     numbers([](auto x, auto...) { return scalar::magnitude(x); }),
     {},
     {},
     {},
     {},
     nullptr,
     magnitude_of},
    {"Acos", 7, &U::acos, floats([](auto x, auto...) { return std::acos(x); }), {2}},
    {"Acosh", 9, &U::acosh, floats([](auto x, auto...) { return std::acosh(x); }), {2}},
    {"Affine", 1, &U::scale, kAffine, {1, 6e-8}, {"alpha", 1}, {"beta"}},
    {"Asin", 7, &U::asin, floats([](auto x, auto...) { return std::asin(x); }), {3}},
    {"Asinh", 9, &U::asinh, floats([](auto x, auto...) { return std::asinh(x); }), {2}},
    {"Atan", 7, &U::atan, floats([](auto x, auto...) { return std::atan(x); }), {2}},
    {"Atanh", 9, &U::atanh, floats([](auto x, auto...) { return std::atanh(x); }), {2}},
    {"Ceil", 1, &U::ceil, floats([](auto x, auto...) { return std::ceil(x); })},
    {"Celu", 12, &U::celu, kCelu, {2.5}, {"alpha", 1}},
    {"Clip", 0, &U::clip, kClip, {}, {"min", -kInfinity}, {"max", kInfinity}, {}, between},
    {"Cos", 7, &U::cos, floats([](auto x, auto...) { return std::cos(x); }), {1.6}},
    {"Cosh", 9, &U::cosh, floats([](auto x, auto...) { return std::cosh(x); }), {2}},
    {"Elu", 1, &U::elu, kElu, {2}, {"alpha", 1}},
    {"Erf", 9, &U::erf, numbers([](auto x, auto...) { return scalar::erf(x); }), {2}},
    {"Exp", 1, &U::exp, floats([](auto x, auto...) { return std::exp(x); }), {1.5}},
    {"Floor", 1, &U::floor, floats([](auto x, auto...) { return std::floor(x); })},
    {"Gelu", 20, &U::gelu, kGelu, {0, 1.6e-7}, {}, {}, {"Gelu", "approximate", "none"}},
    {"GeluTanh", 20, &U::gelu_tanh, kGeluTanh, {0, 1e-7}, {}, {}, {"Gelu", "approximate", "tanh"}},
    {"HardSigmoid", 1, &U::hard_sigmoid, kHardSigmoid, {1, 6e-8}, {"alpha", 0.2f}, {"beta", 0.5f}},
    {"HardSwish", 14, &U::hard_swish, kHardSwish, {1, 2e-7}},
    {"LeakyRelu", 1, &U::leaky_relu, kLeakyRelu, {}, {"alpha", 0.01f}},
    {"Log", 1, &U::log, floats([](auto x, auto...) { return std::log(x); }), {1.5}},
    {"Mish", 18, &U::mish, kMish, {4, 0x1p-126}},
    {"Neg",
     1,
     &U::neg,
     numbers([](auto x, auto...) { return scalar::negated(x); }),
     {},
     {},
     {},
     {},
     nullptr,
     negative_of},
    {"Reciprocal", 1, &U::reciprocal, floats([](auto x, auto...) { return 1 / x; })},
    {"Relu", 1, &U::relu, kRelu, {}, {}, {}, {}, at_least_zero, raised_to_zero},
    {"Round", 11, &U::round, floats([](auto x, auto...) { return std::nearbyint(x); })},  // ties to even
    {"ScaledTanh", 1, &U::scaled_tanh, kScaledTanh, {4}, {"alpha", 1}, {"beta", 1}},
    {"Selu", 1, &U::selu, kSelu, {3}, {"alpha", 1.6732f}, {"gamma", 1.0507f}},
    {"Selu", 6, &U::selu, kSelu, {3}, {"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}},
    {"Shrink", 9, &U::shrink, kShrink, {}, {"bias"}, {"lambd", 0.5f}},
    {"Sigmoid", 1, &U::sigmoid, floats([](auto x, auto...) { return 1 / (1 + std::exp(-x)); }), {2.5}},
    {"Sign", 9, &U::sign, kSign, {}, {}, {}, {}, nullptr, sign_of},
    {"Sin", 7, &U::sin, floats([](auto x, auto...) { return std::sin(x); }), {1.6}},
    {"Sinh", 9, &U::sinh, floats([](auto x, auto...) { return std::sinh(x); }), {2}},
    {"Softplus", 1, &U::softplus, floats([](auto x, auto...) { return scalar::softplus(x); }), {2}},
    {"Softsign", 1, &U::softsign, floats([](auto x, auto...) { return x / (1 + std::fabs(x)); }), {2}},
    {"Sqrt", 1, &U::sqrt, floats([](auto x, auto...) { return std::sqrt(x); })},
    {"Square", 0, &U::square, floats([](auto x, auto...) { return x * x; })},
    {"Swish", 24, &U::swish, kSwish, {4, 0x1p-126}, {"alpha", 1}},
    {"Tan", 7, &U::tan, floats([](auto x, auto...) { return std::tan(x); }), {2}},
    {"Tanh", 1, &U::tanh, floats([](auto x, auto...) { return std::tanh(x); }), {2.5}},
    {"ThresholdedRelu", 1, &U::thresholded_relu, kThresholdedRelu, {}, {"alpha", 1}},
};

constexpr BinaryFunction kBinary[] = {
    {"Add", &B::add}, {"Div", &B::div}, {"Max", &B::max}, {"Min", &B::min}, {"Mul", &B::mul}, {"Sub", &B::sub},
};

template <class Function>
const Function* find(std::span<const Function> functions, std::string_view name) {
  const Function* found = nullptr;
  for (const Function& function : functions) {
    if (function.name == name) found = &function;
  }
  return found;
}

float value(const NodeSpec& node, const Parameter& parameter) {
  return parameter.attribute ? node.attr_or(parameter.attribute, parameter.fallback) : parameter.fallback;
}

// The row for the operator of a node: the one of the newest opset, and among several the first with the node's form.
const UnaryFunction* function_of(const NodeSpec& node) {
  const UnaryFunction* found = nullptr;
  for (const UnaryFunction& function : kUnary) {
    if (function.since == 0 || function.since > node.opset || function.op_type() != node.op_type) continue;
    if (found && found->since >= function.since) continue;
    const Form& form = function.form;
    if (!form.attribute || node.attr_or(form.attribute, form.value) == form.value) found = &function;
  }
  return found;
}

}  // namespace

std::span<const UnaryFunction> unary_functions() { return kUnary; }
const UnaryFunction* unary_function(std::string_view name) { return find(unary_functions(), name); }

std::span<const BinaryFunction> binary_functions() { return kBinary; }
const BinaryFunction* binary_function(std::string_view name) { return find(binary_functions(), name); }

std::optional<Activation> activation_of(const NodeSpec& node) {
  const UnaryFunction* function = node.domain.empty() ? function_of(node) : nullptr;
  if (!function) return std::nullopt;
  return Activation{function, value(node, function->alpha), value(node, function->beta)};
}

Attributes attributes_of(const Activation& activation) {
  const UnaryFunction& f = *activation.function;
  Attributes attributes;
  if (f.alpha.attribute) attributes[f.alpha.attribute] = activation.alpha;
  if (f.beta.attribute) attributes[f.beta.attribute] = activation.beta;
  if (f.form.attribute) attributes[f.form.attribute] = std::string(f.form.value);
  return attributes;
}

}  // namespace linnet
