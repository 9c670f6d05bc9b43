#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Functions of single elements that ONNX has no operator for. All compute in the dtype of the result.
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

/// atan(y / x) in the right half plane, half a turn from it in the left one, a quarter turn between.
void atan2(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string y = self_of(call), x = other_of(call), below = is_negative(call, y);
  const auto turn = [&](double part) {
    return choose(call, below, call.scalar(-part * M_PI, dtype), call.scalar(part * M_PI, dtype));
  };
  const std::string right = call.emit("Atan", {call.emit("Div", {y, x})});
  const std::string sideways = choose(call, is_negative(call, x), call.emit("Add", {right, turn(1)}), right);
  const std::string middle = choose(call, is_zero(call, y), y, turn(0.5));
  call.set(choose(call, is_zero(call, x), middle, sideways));
}

/// log(e^a + e^b), for another base than e with its logarithm as `unit`.
Lowering log_of_sum(double unit) {
  return [unit](Call& call) {
    const at::ScalarType dtype = call.dtype();
    const std::string a = self_of(call), b = other_of(call), scale = call.scalar(unit, dtype);
    const std::string distance = call.emit("Mul", {call.emit("Abs", {call.emit("Sub", {a, b})}), scale});
    const std::string small = call.emit("Exp", {call.emit("Neg", {distance})});
    const std::string rest = call.emit("Log", {call.emit("Add", {small, call.scalar(1, dtype)})});
    const std::string sum = call.emit("Add", {call.emit("Max", {a, b}), call.emit("Div", {rest, scale})});
    const std::string doubled = call.emit("Add", {a, call.scalar(std::log(2) / unit, dtype)});
    call.set(choose(call, call.emit("Equal", {a, b}), doubled, sum));
  };
}

/// x log(y + offset), and 0 where x is 0 and y is a number.
Lowering x_log(double offset) {
  return [offset](Call& call) {
    const std::string x = self_of(call), y = other_of(call);
    const std::string shifted = offset == 0 ? y : call.emit("Add", {y, call.scalar(offset, call.dtype())});
    const std::string product = call.emit("Mul", {x, call.emit("Log", {shifted})});
    const std::string plain = choose(call, is_zero(call, x), zero_of(call), product);
    call.set(choose(call, call.emit("IsNaN", {y}), y, plain));
  };
}

/// sin(pi x) / (pi x), and 1 at 0.
void sinc(Call& call) {
  const std::string x = self_of(call), angle = call.emit("Mul", {x, call.scalar(M_PI, call.dtype())});
  const std::string wave = call.emit("Div", {call.emit("Sin", {angle}), angle});
  call.set(choose(call, is_zero(call, x), call.scalar(1, call.dtype()), wave));
}

/// -x log(x), 0 at 0, -inf below.
void entropy(Call& call) {
  const std::string x = self_of(call), product = call.emit("Mul", {x, call.emit("Log", {x})});
  const std::string inside = choose(call, is_zero(call, x), zero_of(call), call.emit("Neg", {product}));
  call.set(choose(call, is_negative(call, x), call.scalar(-kInfinity, call.dtype()), inside));
}

/// A negative sign, that of -0 too.
std::string sign_bit(Call& call, const std::string& x, at::ScalarType dtype) {
  const std::string zero = call.scalar(0, dtype);
  if (!at::isFloatingType(dtype)) return call.emit("Less", {x, zero});
  const std::string sides = call.emit("Reciprocal", {x});
  return call.emit("Less", {choose(call, call.emit("Equal", {x, zero}), sides, x), zero});
}

void signbit(Call& call) {
  const at::ScalarType dtype = call.tensor().scalar_type();
  if (dtype == at::kBool) call.refuse("bools have no sign");
  call.set(sign_bit(call, call.value(), dtype));
}

/// |self| with the sign of other.
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
  if (!at::isFloatingType(call.dtype())) return call.set(self_of(call));
  call.set(call.emit("Div", {call.emit("Round", {call.emit("Mul", {self_of(call), unit})}), unit}));
}

void erfc(Call& call) { call.set(call.emit("Sub", {call.scalar(1, call.dtype()), call.emit("Erf", {self_of(call)})})); }

/// Winitzki's approximation and three steps of Newton's method.
/// Source: https://en.wikipedia.org/wiki/Error_function#Inverse_functions
void erfinv(Call& call) {
  const at::ScalarType dtype = call.dtype();
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

/// log(x / (1 - x)), x kept from 0 and 1 by eps.
void logit(Call& call) {
  const at::ScalarType dtype = call.dtype();
  std::string x = self_of(call);
  if (call.has("eps")) {
    const double eps = call.number("eps");
    x = call.emit("Clip", {x, call.scalar(eps, dtype), call.scalar(1 - eps, dtype)});
  }
  const std::string rest = call.emit("Sub", {call.scalar(1, dtype), x});
  call.set(call.emit("Log", {call.emit("Div", {x, rest})}));
}

double largest(at::ScalarType dtype) {
  if (dtype == at::kDouble) return std::numeric_limits<double>::max();
  if (dtype == at::kHalf) return 65504;
  if (dtype == at::kBFloat16) return 3.3895313892515355e38;
  return std::numeric_limits<float>::max();
}

void nan_to_num(Call& call) {
  const at::ScalarType dtype = call.dtype();
  std::string x = self_of(call);
  if (!at::isFloatingType(dtype)) return call.set(x);
  const auto number = [&](const std::string& name, double absent) {
    return call.scalar(call.has(name) ? call.number(name) : absent, dtype);
  };
  const auto infinite = [&](double value) { return call.emit("Equal", {x, call.scalar(value, dtype)}); };
  std::string y = choose(call, call.emit("IsNaN", {x}), number("nan", 0), x);
  y = choose(call, infinite(kInfinity), number("posinf", largest(dtype)), y);
  call.set(choose(call, infinite(-kInfinity), number("neginf", -largest(dtype)), y));
}

/// The larger or smaller one; a number wins over NaN.
Lowering extreme_of_numbers(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string a = self_of(call), b = other_of(call), y = call.emit(op_type, {a, b});
    if (!at::isFloatingType(call.dtype())) return call.set(y);
    const std::string either = choose(call, call.emit("IsNaN", {b}), a, y);
    call.set(choose(call, call.emit("IsNaN", {a}), b, either));
  };
}

/// One infinity, that with this sign.
Lowering is_infinity(double sign) {
  return [sign](Call& call) {
    const at::ScalarType dtype = call.tensor().scalar_type();
    if (!at::isFloatingType(dtype)) call.refuse("only floating-point tensors are covered");
    call.set(call.emit("Equal", {call.value(), call.scalar(sign * kInfinity, dtype)}));
  };
}

/// |a - b| <= atol + rtol |b|, or equal.
void isclose(Call& call) {
  const at::ScalarType dtype = call.promoted({"self", "other"});
  if (!at::isFloatingType(dtype)) call.refuse("only floating-point tensors are covered");
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

/// self * 2^other.
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
  lowerings.add("aten::sgn", unary("Sign"));
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
