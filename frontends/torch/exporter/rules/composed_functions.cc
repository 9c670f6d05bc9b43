#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "arctangent.h"
#include "building_blocks.h"
#include "rule_list.h"

// Elementwise functions that ONNX has no operator for. They compute in the dtype of the result, or of the input if the
// result is bool.
namespace linnet::exporter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string self_of(Call& call) { return call.value("self", call.dtype()); }
std::string other_of(Call& call) { return call.value("other", call.dtype()); }
std::string zero_of(Call& call) { return call.scalar(0, call.dtype()); }

std::string is_zero(Call& call, const std::string& x) { return call.emit("Equal", {x, zero_of(call)}); }
std::string is_negative(Call& call, const std::string& x) { return call.emit("Less", {x, zero_of(call)}); }
std::string choose(Call& call, const std::string& condition, const std::string& yes, const std::string& no) {
  return call.emit("Where", {condition, yes, no});
}

/// Whether the sign is negative, including that of -0.
std::string sign_bit(Call& call, const std::string& x, DType dtype) {
  const std::string zero = call.scalar(0, dtype);
  if (!is_floating(dtype)) return call.emit("Less", {x, zero});
  const std::string sides = call.emit("Reciprocal", {x});
  return call.emit("Less", {choose(call, call.emit("Equal", {x, zero}), sides, x), zero});
}

/// Returns the sign of an infinite number as -1 or 1, else 0.
std::string ones_of_infinity(Call& call, const std::string& x) {
  const std::string is_infinite = call.emit("Equal", {call.emit("Abs", {x}), call.scalar(kInfinity, call.dtype())});
  return choose(call, is_infinite, call.emit("Sign", {x}), zero_of(call));
}

}  // namespace

/// Emits atan(y / x) in the right half plane, shifted by pi in the left one, and +-pi / 2 between them. If both are
/// infinite, only their signs count. If y is NaN, the result is NaN.
std::string arctangent(Call& call, std::string y, std::string x) {
  const DType dtype = call.dtype();
  const std::string signs_y = ones_of_infinity(call, y), signs_x = ones_of_infinity(call, x);
  const std::string both = call.emit("Not", {is_zero(call, call.emit("Mul", {signs_y, signs_x}))});
  y = choose(call, both, signs_y, y);
  x = choose(call, both, signs_x, x);
  const std::string below = sign_bit(call, y, dtype);
  const auto turn = [&](double part) {
    return choose(call, below, call.scalar(-part * M_PI, dtype), call.scalar(part * M_PI, dtype));
  };
  const std::string right = call.emit("Atan", {call.emit("Div", {y, x})});
  const std::string sideways = choose(call, is_negative(call, x), call.emit("Add", {right, turn(1)}), right);
  const std::string at_origin = choose(call, sign_bit(call, x, dtype), turn(1), y);
  const std::string middle = choose(call, is_zero(call, y), at_origin, turn(0.5));
  const std::string upright = call.emit("And", {is_zero(call, x), call.emit("Equal", {y, y})});
  return choose(call, upright, middle, sideways);
}

namespace {

void atan2(Call& call) { call.set(arctangent(call, self_of(call), other_of(call))); }

/// Emits log(e^a + e^b). For a base other than e, `unit` is its logarithm.
Lowering log_of_sum(double unit) {
  return [unit](Call& call) {
    const DType dtype = call.dtype();
    const std::string a = self_of(call), b = other_of(call), scale = call.scalar(unit, dtype);
    const std::string distance = call.emit("Mul", {call.emit("Abs", {call.emit("Sub", {a, b})}), scale});
    const std::string small = call.emit("Exp", {call.emit("Neg", {distance})});
    const std::string rest = call.emit("Log", {call.emit("Add", {small, call.scalar(1, dtype)})});
    const std::string sum = call.emit("Add", {call.emit("Max", {a, b}), call.emit("Div", {rest, scale})});
    const std::string doubled = call.emit("Add", {a, call.scalar(std::log(2) / unit, dtype)});
    call.set(choose(call, call.emit("Equal", {a, b}), doubled, sum));
  };
}

/// Emits x log(y + offset), or 0 if x is 0 and y is not NaN.
Lowering x_log(double offset) {
  return [offset](Call& call) {
    const std::string x = self_of(call), y = other_of(call);
    const std::string shifted = offset == 0 ? y : call.emit("Add", {y, call.scalar(offset, call.dtype())});
    const std::string product = call.emit("Mul", {x, call.emit("Log", {shifted})});
    const std::string plain = choose(call, is_zero(call, x), zero_of(call), product);
    call.set(choose(call, call.emit("IsNaN", {y}), y, plain));
  };
}

/// Emits sin(pi x) / (pi x), and 1 at 0.
void sinc(Call& call) {
  const std::string x = self_of(call), angle = call.emit("Mul", {x, call.scalar(M_PI, call.dtype())});
  const std::string wave = call.emit("Div", {call.emit("Sin", {angle}), angle});
  call.set(choose(call, is_zero(call, x), call.scalar(1, call.dtype()), wave));
}

/// Emits -x log(x), 0 at 0, and -inf below 0.
void entropy(Call& call) {
  const std::string x = self_of(call), product = call.emit("Mul", {x, call.emit("Log", {x})});
  const std::string inside = choose(call, is_zero(call, x), zero_of(call), call.emit("Neg", {product}));
  call.set(choose(call, is_negative(call, x), call.scalar(-kInfinity, call.dtype()), inside));
}

void signbit(Call& call) {
  const DType dtype = call.tensor().dtype;
  if (dtype == DType::kBool) call.refuse("bools have no sign");
  call.set(sign_bit(call, call.value(), dtype));
}

/// Emits |self| with the sign of other.
void copysign(Call& call) {
  const std::string size = call.emit("Abs", {self_of(call)});
  const std::string negative = sign_bit(call, other_of(call), call.dtype());
  call.set(choose(call, negative, call.emit("Neg", {size}), size));
}

void heaviside(Call& call) {
  const std::string x = self_of(call), step = call.emit("Less", {zero_of(call), x});
  call.set(choose(call, is_zero(call, x), call.value("values", call.dtype()), call.cast(step, call.dtype())));
}

void round_decimals(Call& call) {
  const std::string unit = call.scalar(std::pow(10, call.integer("decimals")), call.dtype());
  if (!is_floating(call.dtype())) return call.set(self_of(call));
  call.set(call.emit("Div", {call.emit("Round", {call.emit("Mul", {self_of(call), unit})}), unit}));
}

/// The Chebyshev coefficients of log(erfc(x) / t) + x^2 in 4t - 2 for t = 2 / (2 + x), x >= 0.
/// Source: W. H. Press et al., Numerical Recipes, 3rd edition, section 6.2.2
constexpr double kErfc[] = {-1.3026537197817094,
                            6.4196979235649026e-1,
                            1.9476473204185836e-2,
                            -9.561514786808631e-3,
                            -9.46595344482036e-4,
                            3.66839497852761e-4,
                            4.2523324806907e-5,
                            -2.0278578112534e-5,
                            -1.624290004647e-6,
                            1.303655835580e-6,
                            1.5626441722e-8,
                            -8.5238095915e-8,
                            6.529054439e-9,
                            5.059343495e-9,
                            -9.91364156e-10,
                            -2.27365122e-10,
                            9.6467911e-11,
                            2.394038e-12,
                            -6.886027e-12,
                            8.94487e-13,
                            3.13092e-13,
                            -1.12708e-13,
                            3.81e-16,
                            7.106e-15,
                            -1.523e-15,
                            -9.4e-17,
                            1.21e-16,
                            -2.8e-17};

/// Computes in float64, because 1 - erf(x) has no digits left for large x.
void erfc(Call& call) {
  const auto number = [&](double value) { return call.scalar(value, DType::kFloat64); };
  const std::string x = call.value("self", DType::kFloat64), size = call.emit("Abs", {x}), two = number(2);
  const std::string t = call.emit("Div", {two, call.emit("Add", {two, size})});
  const std::string u = call.emit("Sub", {call.emit("Mul", {number(4), t}), two});
  std::string sum = number(0), before = sum;
  for (size_t i = std::size(kErfc) - 1; i > 0; --i) {
    const std::string product = call.emit("Sub", {call.emit("Mul", {u, sum}), before});
    before = std::exchange(sum, call.emit("Add", {product, number(kErfc[i])}));
  }
  const std::string series = call.emit("Add", {call.emit("Mul", {u, sum}), number(kErfc[0])});
  const std::string inner = call.emit("Sub", {call.emit("Mul", {series, number(0.5)}), before});
  const std::string power = call.emit("Exp", {call.emit("Sub", {inner, call.emit("Mul", {size, size})})});
  const std::string right = call.emit("Mul", {t, power});
  const std::string is_left = call.emit("Less", {x, number(0)});
  call.set(call.cast(choose(call, is_left, call.emit("Sub", {two, right}), right), call.dtype()));
}

/// Emits Winitzki's approximation, followed by three steps of Newton's method.
/// Source: https://en.wikipedia.org/wiki/Error_function#Inverse_functions
void erfinv(Call& call) {
  const DType dtype = call.dtype();
  const auto number = [&](double value) { return call.scalar(value, dtype); };
  constexpr double kA = 0.147;
  const std::string y = self_of(call), size = call.emit("Abs", {y}), one = number(1);
  const std::string product = call.emit("Mul", {call.emit("Sub", {one, size}), call.emit("Add", {one, size})});
  const std::string logarithm = call.emit("Log", {product});
  const std::string half = call.emit("Mul", {logarithm, number(0.5)});
  const std::string base = call.emit("Add", {half, number(2 / (M_PI * kA))});
  const std::string inner =
      call.emit("Sub", {call.emit("Mul", {base, base}), call.emit("Div", {logarithm, number(kA)})});
  std::string x = call.emit("Sqrt", {call.emit("Sub", {call.emit("Sqrt", {inner}), base})});
  for (int i = 0; i < 3; ++i) {
    const std::string slope = call.emit("Exp", {call.emit("Neg", {call.emit("Mul", {x, x})})});
    const std::string step = call.emit("Div", {call.emit("Sub", {call.emit("Erf", {x}), size}), slope});
    x = call.emit("Sub", {x, call.emit("Mul", {step, number(std::sqrt(M_PI) / 2)})});
  }
  const std::string end = choose(call, call.emit("Equal", {size, one}), number(kInfinity), x);
  call.set(call.emit("Mul", {end, call.emit("Sign", {y})}));
}

/// Emits log(x / (1 - x)) with x clipped to [eps, 1 - eps].
void logit(Call& call) {
  const DType dtype = call.dtype();
  std::string x = self_of(call);
  if (call.has("eps")) {
    const double eps = call.number("eps");
    x = call.emit("Clip", {x, call.scalar(eps, dtype), call.scalar(1 - eps, dtype)});
  }
  const std::string rest = call.emit("Sub", {call.scalar(1, dtype), x});
  call.set(call.emit("Log", {call.emit("Div", {x, rest})}));
}

double largest(DType dtype) {
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::max();
  if (dtype == DType::kFloat16) return 65504;
  if (dtype == DType::kBFloat16) return 3.3895313892515355e38;
  return std::numeric_limits<float>::max();
}

void nan_to_num(Call& call) {
  const DType dtype = call.dtype();
  std::string x = self_of(call);
  if (!is_floating(dtype)) return call.set(x);
  const auto number = [&](const std::string& name, double absent) {
    return call.scalar(call.has(name) ? call.number(name) : absent, dtype);
  };
  const auto infinite = [&](double value) { return call.emit("Equal", {x, call.scalar(value, dtype)}); };
  std::string y = choose(call, call.emit("IsNaN", {x}), number("nan", 0), x);
  y = choose(call, infinite(kInfinity), number("posinf", largest(dtype)), y);
  call.set(choose(call, infinite(-kInfinity), number("neginf", -largest(dtype)), y));
}

/// Emits the larger or the smaller number. If one is NaN, the result is the other.
Lowering extreme_of_numbers(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string a = self_of(call), b = other_of(call), y = call.emit(op_type, {a, b});
    if (!is_floating(call.dtype())) return call.set(y);
    const std::string either = choose(call, call.emit("IsNaN", {b}), a, y);
    call.set(choose(call, call.emit("IsNaN", {a}), b, either));
  };
}

/// Whether a number is the infinity with this sign.
Lowering is_infinity(double sign) {
  return [sign](Call& call) {
    const DType dtype = call.tensor().dtype;
    if (is_floating(dtype)) {
      return call.set(call.emit("Equal", {call.value(), call.scalar(sign * kInfinity, dtype)}));
    }
    call.set(
        call.emit("Expand", {call.scalar(0, DType::kBool), call.emit("Shape", {call.value()})}));  // never infinite
  };
}

/// Whether |a - b| <= atol + rtol |b|, or both are equal.
void isclose(Call& call) {
  const DType dtype = call.promoted({"self", "other"});
  if (!is_floating(dtype)) call.refuse("only floating-point tensors are covered");
  const std::string a = call.value("self", dtype), b = call.value("other", dtype);
  const std::string scaled = call.emit("Mul", {call.emit("Abs", {b}), call.scalar(call.number("rtol"), dtype)});
  const std::string bound = call.emit("Add", {scaled, call.scalar(call.number("atol"), dtype)});
  const std::string distance = call.emit("Abs", {call.emit("Sub", {a, b})});
  const std::string finite = call.emit("Less", {distance, call.scalar(kInfinity, dtype)});
  const std::string near = call.emit("And", {finite, call.emit("LessOrEqual", {distance, bound})});
  std::string y = call.emit("Or", {call.emit("Equal", {a, b}), near});
  if (call.flag("equal_nan")) {
    y = call.emit("Or", {y, call.emit("And", {call.emit("IsNaN", {a}), call.emit("IsNaN", {b})})});
  }
  call.set(y);
}

/// Emits self * 2^other.
void ldexp(Call& call) {
  call.set(call.emit("Mul", {self_of(call), call.emit("Pow", {call.scalar(2, call.dtype()), other_of(call)})}));
}

Lowering times(double factor) {
  return [factor](Call& call) { call.set(call.emit("Mul", {self_of(call), call.scalar(factor, call.dtype())})); };
}

void float_power(Call& call) { call.set(call.emit("Pow", {self_of(call), call.value("exponent", call.dtype())})); }

}  // namespace

void register_composed_functions(Lowerings& lowerings) {
  lowerings.add({"aten::atan2", "aten::arctan2"}, atan2);
  lowerings.add("aten::logaddexp", log_of_sum(1));
  lowerings.add("aten::logaddexp2", log_of_sum(std::log(2)));
  lowerings.add({"aten::xlogy.Tensor", "aten::xlogy.Scalar_Other", "aten::xlogy.Scalar_Self", "aten::special_xlogy",
                 "aten::special_xlogy.other_scalar", "aten::special_xlogy.self_scalar"},
                x_log(0));
  lowerings.add({"aten::special_xlog1py", "aten::special_xlog1py.other_scalar", "aten::special_xlog1py.self_scalar"},
                x_log(1));
  lowerings.add({"aten::sinc", "aten::special_sinc"}, sinc);
  lowerings.add("aten::special_entr", entropy);
  lowerings.add("aten::signbit", signbit);
  lowerings.add({"aten::copysign.Tensor", "aten::copysign.Scalar"}, copysign);
  lowerings.add("aten::heaviside", heaviside);
  lowerings.add({"aten::round.decimals"}, round_decimals);
  lowerings.add({"aten::erfc", "aten::special_erfc"}, erfc);
  lowerings.add({"aten::erfinv", "aten::special_erfinv"}, erfinv);
  lowerings.add({"aten::logit", "aten::special_logit"}, logit);
  lowerings.add("aten::nan_to_num", nan_to_num);
  lowerings.add("aten::fmax", extreme_of_numbers("Max"));
  lowerings.add("aten::fmin", extreme_of_numbers("Min"));
  lowerings.add("aten::isposinf", is_infinity(1));
  lowerings.add("aten::isneginf", is_infinity(-1));
  lowerings.add("aten::isclose", isclose);
  lowerings.add("aten::ldexp.Tensor", ldexp);
  lowerings.add("aten::deg2rad", times(M_PI / 180));
  lowerings.add("aten::rad2deg", times(180 / M_PI));
  lowerings.add({"aten::float_power.Tensor_Tensor", "aten::float_power.Tensor_Scalar", "aten::float_power.Scalar"},
                float_power);
}

}  // namespace linnet::exporter
