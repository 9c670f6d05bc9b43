#include <ATen/core/Tensor.h>

#include <cmath>

#include "rule_list.h"
#include "shared.h"

// Arithmetic, comparisons and logic, element by element with broadcasting. ONNX promotes no types: inputs are cast to
// what PyTorch computes in, results to what it gives.
// Source: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
namespace linnet::exporter {
namespace {

/// op(self, other) in the dtype of the result.
Lowering binary(const std::string& op_type) {
  return [op_type](Call& call) {
    const at::ScalarType dtype = call.dtype();
    call.set(call.emit(op_type, {call.value("self", dtype), call.value("other", dtype)}));
  };
}

/// A bool of op(self, other), compared in their common dtype.
Lowering comparison(const std::string& op_type, bool negated = false) {
  return [op_type, negated](Call& call) {
    const at::ScalarType common = call.promoted({"self", "other"});
    const bool order = op_type != "Equal";
    const at::ScalarType dtype = order && common == at::kBool ? at::kInt : common;
    const std::string y = call.emit(op_type, {call.value("self", dtype), call.value("other", dtype)});
    call.set(negated ? call.emit("Not", {y}) : y);
  };
}

/// op of two tensors as bools.
Lowering logical(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(call.emit(op_type, {call.value("self", at::kBool), call.value("other", at::kBool)}));
  };
}

/// The logical form for bools, the bitwise one for integers.
Lowering bitwise(const std::string& logical_type, const std::string& bitwise_type) {
  return [=](Call& call) {
    const bool logic = call.dtype() == at::kBool;
    if (!logic) call.require_opset(18, bitwise_type);
    const at::ScalarType dtype = call.dtype();
    call.set(call.emit(logic ? logical_type : bitwise_type, {call.value("self", dtype), call.value("other", dtype)}));
  };
}

/// A dtype that ONNX's arithmetic has: bools count as int32.
at::ScalarType arithmetic(at::ScalarType dtype) { return dtype == at::kBool ? at::kInt : dtype; }

std::string scaled(Call& call, const std::string& x, const std::string& factor, at::ScalarType dtype) {
  if (!call.has(factor) || (call.constant(factor) && call.number(factor) == 1)) return x;
  return call.emit("Mul", {x, call.value(factor, dtype)});
}

/// self + alpha * other, or self - alpha * other.
Lowering add_scaled(const std::string& op_type) {
  return [op_type](Call& call) {
    const at::ScalarType dtype = arithmetic(call.dtype());
    if (call.dtype() == at::kBool && op_type == "Add") {
      return call.set(call.emit("Or", {call.value("self"), call.value("other", at::kBool)}));
    }
    const std::string other = scaled(call, call.value("other", dtype), "alpha", dtype);
    call.set(call.cast(call.emit(op_type, {call.value("self", dtype), other}), call.dtype()));
  };
}

/// other - alpha * self.
void rsub(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string self = scaled(call, call.value("self", dtype), "alpha", dtype);
  call.set(call.emit("Sub", {call.value("other", dtype), self}));
}

void mul(Call& call) {
  const at::ScalarType dtype = call.dtype();
  call.set(call.emit(dtype == at::kBool ? "And" : "Mul", {call.value("self", dtype), call.value("other", dtype)}));
}

/// The largest whole number not above a / b. Integer division in ONNX is towards zero.
std::string floor_div(Call& call, const std::string& a, const std::string& b, at::ScalarType dtype) {
  const std::string quotient = call.emit("Div", {a, b});
  if (at::isFloatingType(dtype)) return call.emit("Floor", {quotient});
  const std::string rest = call.emit("Mod", {a, b}), zero = call.scalar(0, dtype);
  // Mod has the sign of b; a quotient was rounded up where the exact division is negative and has a rest.
  const std::string inexact = call.emit("Not", {call.emit("Equal", {rest, zero})});
  const std::string negative = call.emit("Xor", {call.emit("Less", {a, zero}), call.emit("Less", {b, zero})});
  const std::string rounded_up = call.cast(call.emit("And", {inexact, negative}), dtype);
  return call.emit("Sub", {quotient, rounded_up});
}

void divide(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string a = call.value("self", dtype), b = call.value("other", dtype);
  const std::string mode = call.has("rounding_mode") ? call.text("rounding_mode") : "";
  if (mode == "floor") return call.set(floor_div(call, a, b, dtype));
  const std::string quotient = call.emit("Div", {a, b});
  if (mode != "trunc" || !at::isFloatingType(dtype)) return call.set(quotient);
  const std::string down = call.emit("Floor", {call.emit("Abs", {quotient})});
  call.set(call.emit("Mul", {down, call.emit("Sign", {quotient})}));
}

void floor_divide(Call& call) {
  const at::ScalarType dtype = call.dtype();
  call.set(floor_div(call, call.value("self", dtype), call.value("other", dtype), dtype));
}

/// The rest has the sign of the divisor; ONNX's Mod does that for integers, fmod=1 takes the dividend's.
void remainder(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string a = call.value("self", dtype), b = call.value("other", dtype);
  if (!at::isFloatingType(dtype)) return call.set(call.emit("Mod", {a, b}));
  const std::string whole = call.emit("Floor", {call.emit("Div", {a, b})});
  call.set(call.emit("Sub", {a, call.emit("Mul", {whole, b})}));
}

void fmod(Call& call) {
  const at::ScalarType dtype = call.dtype();
  call.set(call.emit("Mod", {call.value("self", dtype), call.value("other", dtype)}, {{"fmod", 1}}));
}

/// Squares and roots in the result's dtype.
void power(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string base = call.value("self", dtype);
  if (call.constant("exponent") && call.number("exponent") == 2) return call.set(call.emit("Mul", {base, base}));
  call.set(call.emit("Pow", {base, call.value("exponent", dtype)}));
}

void square(Call& call) { call.set(call.emit("Mul", {call.value(), call.value()})); }

void rsqrt(Call& call) { call.set(call.emit("Reciprocal", {call.emit("Sqrt", {call.value("self", call.dtype())})})); }

/// log(x) / log(base).
Lowering logarithm(double base) {
  return [base](Call& call) {
    const std::string natural = call.emit("Log", {call.value("self", call.dtype())});
    call.set(call.emit("Mul", {natural, call.scalar(1 / std::log(base), call.dtype())}));
  };
}

void log1p(Call& call) {
  const std::string sum = call.emit("Add", {call.value("self", call.dtype()), call.scalar(1, call.dtype())});
  call.set(call.emit("Log", {sum}));
}

void expm1(Call& call) {
  const std::string e = call.emit("Exp", {call.value("self", call.dtype())});
  call.set(call.emit("Sub", {e, call.scalar(1, call.dtype())}));
}

void exp2(Call& call) { call.set(call.emit("Pow", {call.scalar(2, call.dtype()), call.value("self", call.dtype())})); }

/// Integers have no fraction: they stay.
Lowering rounding(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(at::isFloatingType(call.dtype()) ? call.emit(op_type, {call.value()}) : call.value());
  };
}

std::string truncated(Call& call) {
  return call.emit("Mul", {call.emit("Floor", {call.emit("Abs", {call.value()})}), call.emit("Sign", {call.value()})});
}

void trunc(Call& call) { call.set(at::isFloatingType(call.dtype()) ? truncated(call) : call.value()); }
void frac(Call& call) { call.set(call.emit("Sub", {call.value(), truncated(call)})); }

void logical_not(Call& call) { call.set(call.emit("Not", {call.value("self", at::kBool)})); }

void bitwise_not(Call& call) {
  if (call.dtype() == at::kBool) return logical_not(call);
  call.require_opset(18, "BitwiseNot");
  call.set(call.emit("BitwiseNot", {call.value()}));
}

void is_finite(Call& call) {
  if (!at::isFloatingType(call.tensor().scalar_type()))
    return call.set(call.emit("Equal", {call.value(), call.value()}));
  const std::string bad = call.emit("Or", {call.emit("IsNaN", {call.value()}), call.emit("IsInf", {call.value()})});
  call.set(call.emit("Not", {bad}));
}

void is_nan(Call& call) { call.set(call.emit("IsNaN", {call.value()})); }
void is_inf(Call& call) { call.set(call.emit("IsInf", {call.value()})); }

void where(Call& call) {
  const at::ScalarType dtype = call.dtype();
  call.set(
      call.emit("Where", {call.value("condition", at::kBool), call.value("self", dtype), call.value("other", dtype)}));
}

/// The value where the mask is set, self elsewhere.
void masked_fill(Call& call) {
  const at::ScalarType dtype = call.dtype();
  call.set(call.emit("Where", {call.value("mask", at::kBool), call.value("value", dtype), call.value("self", dtype)}));
}

/// self + value * (tensor1 op tensor2).
Lowering add_combined(const std::string& op_type) {
  return [op_type](Call& call) {
    const at::ScalarType dtype = call.dtype();
    const std::string inner = call.emit(op_type, {call.value("tensor1", dtype), call.value("tensor2", dtype)});
    call.set(call.emit("Add", {call.value("self", dtype), scaled(call, inner, "value", dtype)}));
  };
}

/// self + weight * (end - self).
void lerp(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string step = call.emit("Sub", {call.value("end", dtype), call.value("self", dtype)});
  call.set(call.emit("Add", {call.value("self", dtype), call.emit("Mul", {call.value("weight", dtype), step})}));
}

void register_arithmetic(Lowerings& lowerings) {
  lowerings.add({"aten::add.Tensor", "aten::add.Scalar"}, add_scaled("Add"));
  lowerings.add({"aten::sub.Tensor", "aten::sub.Scalar", "aten::subtract.Tensor", "aten::subtract.Scalar"},
                add_scaled("Sub"));
  lowerings.add({"aten::rsub.Tensor", "aten::rsub.Scalar"}, rsub);
  lowerings.add({"aten::mul.Tensor", "aten::mul.Scalar", "aten::multiply.Tensor", "aten::multiply.Scalar"}, mul);
  lowerings.add({"aten::div.Tensor", "aten::div.Scalar", "aten::div.Tensor_mode", "aten::div.Scalar_mode",
                 "aten::divide.Tensor", "aten::divide.Scalar", "aten::true_divide.Tensor", "aten::true_divide.Scalar"},
                divide);
  lowerings.add({"aten::floor_divide", "aten::floor_divide.Scalar"}, floor_divide);
  lowerings.add({"aten::remainder.Tensor", "aten::remainder.Scalar"}, remainder);
  lowerings.add({"aten::fmod.Tensor", "aten::fmod.Scalar"}, fmod);
  lowerings.add({"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor", "aten::pow.Scalar"}, power);
  lowerings.add({"aten::minimum", "aten::min.other"}, binary("Min"));
  lowerings.add({"aten::maximum", "aten::max.other"}, binary("Max"));
  lowerings.add("aten::addcmul", add_combined("Mul"));
  lowerings.add("aten::addcdiv", add_combined("Div"));
  lowerings.add({"aten::lerp.Scalar", "aten::lerp.Tensor"}, lerp);
}

void register_functions(Lowerings& lowerings) {
  for (const auto& [name, op_type] : std::map<std::string, std::string>{
           {"abs", "Abs"},     {"neg", "Neg"},   {"negative", "Neg"}, {"exp", "Exp"},
           {"log", "Log"},     {"sqrt", "Sqrt"}, {"sin", "Sin"},      {"cos", "Cos"},
           {"tan", "Tan"},     {"asin", "Asin"}, {"acos", "Acos"},    {"atan", "Atan"},
           {"sinh", "Sinh"},   {"cosh", "Cosh"}, {"asinh", "Asinh"},  {"acosh", "Acosh"},
           {"atanh", "Atanh"}, {"erf", "Erf"},   {"sign", "Sign"},    {"reciprocal", "Reciprocal"}}) {
    lowerings.add("aten::" + name, unary(op_type));
  }
  lowerings.add("aten::square", square);
  lowerings.add("aten::rsqrt", rsqrt);
  lowerings.add("aten::log2", logarithm(2));
  lowerings.add("aten::log10", logarithm(10));
  lowerings.add("aten::log1p", log1p);
  lowerings.add("aten::expm1", expm1);
  lowerings.add("aten::exp2", exp2);
  lowerings.add("aten::floor", rounding("Floor"));
  lowerings.add("aten::ceil", rounding("Ceil"));
  lowerings.add("aten::round", rounding("Round"));
  lowerings.add("aten::trunc", trunc);
  lowerings.add("aten::frac", frac);
}

void register_logic(Lowerings& lowerings) {
  lowerings.add({"aten::eq.Tensor", "aten::eq.Scalar"}, comparison("Equal"));
  lowerings.add({"aten::ne.Tensor", "aten::ne.Scalar"}, comparison("Equal", true));
  lowerings.add({"aten::gt.Tensor", "aten::gt.Scalar"}, comparison("Greater"));
  lowerings.add({"aten::ge.Tensor", "aten::ge.Scalar"}, comparison("GreaterOrEqual"));
  lowerings.add({"aten::lt.Tensor", "aten::lt.Scalar"}, comparison("Less"));
  lowerings.add({"aten::le.Tensor", "aten::le.Scalar"}, comparison("LessOrEqual"));
  lowerings.add("aten::logical_and", logical("And"));
  lowerings.add("aten::logical_or", logical("Or"));
  lowerings.add("aten::logical_xor", logical("Xor"));
  lowerings.add("aten::logical_not", logical_not);
  lowerings.add(
      {"aten::__and__.Tensor", "aten::__and__.Scalar", "aten::bitwise_and.Tensor", "aten::bitwise_and.Scalar"},
      bitwise("And", "BitwiseAnd"));
  lowerings.add({"aten::__or__.Tensor", "aten::__or__.Scalar", "aten::bitwise_or.Tensor", "aten::bitwise_or.Scalar"},
                bitwise("Or", "BitwiseOr"));
  lowerings.add(
      {"aten::__xor__.Tensor", "aten::__xor__.Scalar", "aten::bitwise_xor.Tensor", "aten::bitwise_xor.Scalar"},
      bitwise("Xor", "BitwiseXor"));
  lowerings.add("aten::bitwise_not", bitwise_not);
  lowerings.add("aten::isfinite", is_finite);
  lowerings.add("aten::isnan", is_nan);
  lowerings.add("aten::isinf", is_inf);
  lowerings.add({"aten::where.self", "aten::where.ScalarSelf", "aten::where.ScalarOther", "aten::where.Scalar"}, where);
  lowerings.add({"aten::masked_fill.Scalar", "aten::masked_fill.Tensor"}, masked_fill);
}

}  // namespace

void register_elementwise(Lowerings& lowerings) {
  register_arithmetic(lowerings);
  register_functions(lowerings);
  register_logic(lowerings);
}

}  // namespace linnet::exporter
