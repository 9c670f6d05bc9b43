#include <cmath>

#include "building_blocks.h"
#include "rule_list.h"

// Arithmetic on two or three tensors, with broadcasting. ONNX does not promote types, so inputs are cast to the dtype
// that PyTorch computes in, and results to the dtype that it returns.
// Source: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
namespace linnet::exporter {
namespace {

/// Emits op(self, other) in the dtype of the result.
Lowering binary(const std::string& op_type) {
  return [op_type](Call& call) {
    const DType dtype = call.dtype();
    call.set(call.emit(op_type, {call.value("self", dtype), call.value("other", dtype)}));
  };
}

/// Returns a dtype that ONNX's arithmetic supports: int32 for bool.
DType arithmetic(DType dtype) { return dtype == DType::kBool ? DType::kInt32 : dtype; }

std::string scaled(Call& call, const std::string& x, const std::string& factor, DType dtype) {
  if (!call.has(factor) || (call.constant(factor) && call.number(factor) == 1)) return x;
  return call.emit("Mul", {x, call.value(factor, dtype)});
}

/// Emits self + alpha * other, or self - alpha * other.
Lowering add_scaled(const std::string& op_type) {
  return [op_type](Call& call) {
    const DType dtype = arithmetic(call.dtype());
    if (call.dtype() == DType::kBool && op_type == "Add") {
      return call.set(call.emit("Or", {call.value("self"), call.value("other", DType::kBool)}));
    }
    const std::string other = scaled(call, call.value("other", dtype), "alpha", dtype);
    call.set(call.cast(call.emit(op_type, {call.value("self", dtype), other}), call.dtype()));
  };
}

/// Emits other - alpha * self.
void rsub(Call& call) {
  const DType dtype = call.dtype();
  const std::string self = scaled(call, call.value("self", dtype), "alpha", dtype);
  call.set(call.emit("Sub", {call.value("other", dtype), self}));
}

void mul(Call& call) {
  const DType dtype = call.dtype();
  call.set(call.emit(dtype == DType::kBool ? "And" : "Mul", {call.value("self", dtype), call.value("other", dtype)}));
}

/// The remainder of a / b with the sign of a, and whether it must have the sign of b instead.
struct Rest {
  std::string value, has_wrong_sign;
};

Rest rest_of(Call& call, const std::string& a, const std::string& b, DType dtype) {
  const std::string zero = call.scalar(0, dtype), rest = call.emit("Mod", {a, b}, {{"fmod", 1}});
  const std::string signs = call.emit("Xor", {call.emit("Less", {rest, zero}), call.emit("Less", {b, zero})});
  return {rest, call.emit("And", {call.emit("Not", {call.emit("Equal", {rest, zero})}), signs})};
}

/// PyTorch subtracts the remainder before it divides, so that rounding cannot reach the next whole number.
std::string floor_div_of_floats(Call& call, const std::string& a, const std::string& b, DType dtype) {
  const std::string one = call.scalar(1, dtype);
  const Rest rest = rest_of(call, a, b, dtype);
  const std::string exact = call.emit("Div", {call.emit("Sub", {a, rest.value}), b});
  const std::string y = call.emit("Where", {rest.has_wrong_sign, call.emit("Sub", {exact, one}), exact});
  const std::string down = call.emit("Floor", {y});
  const std::string far = call.emit("Greater", {call.emit("Sub", {y, down}), call.scalar(0.5, dtype)});
  const std::string whole = call.emit("Where", {far, call.emit("Add", {down, one}), down});
  const std::string by_zero = call.emit("Equal", {b, call.scalar(0, dtype)});
  return call.emit("Where", {by_zero, call.emit("Div", {a, b}), whole});
}

/// Returns the largest whole number not above a / b. Integer division in ONNX rounds towards zero.
std::string floor_div(Call& call, const std::string& a, const std::string& b, DType dtype) {
  if (is_floating(dtype)) return floor_div_of_floats(call, a, b, dtype);
  const std::string quotient = call.emit("Div", {a, b});
  const std::string rest = call.emit("Mod", {a, b}), zero = call.scalar(0, dtype);
  // Mod has the sign of b. The quotient was rounded up if the exact quotient is negative and has a remainder.
  const std::string inexact = call.emit("Not", {call.emit("Equal", {rest, zero})});
  const std::string negative = call.emit("Xor", {call.emit("Less", {a, zero}), call.emit("Less", {b, zero})});
  const std::string rounded_up = call.cast(call.emit("And", {inexact, negative}), dtype);
  return call.emit("Sub", {quotient, rounded_up});
}

void divide(Call& call) {
  const DType dtype = call.dtype();
  const std::string a = call.value("self", dtype), b = call.value("other", dtype);
  const std::string mode = call.has("rounding_mode") ? call.text("rounding_mode") : "";
  if (mode == "floor") return call.set(floor_div(call, a, b, dtype));
  const std::string quotient = call.emit("Div", {a, b});
  if (mode != "trunc" || !is_floating(dtype)) return call.set(quotient);
  const std::string down = call.emit("Floor", {call.emit("Abs", {quotient})});
  call.set(call.emit("Mul", {down, call.emit("Sign", {quotient})}));
}

void floor_divide(Call& call) {
  const DType dtype = call.dtype();
  call.set(floor_div(call, call.value("self", dtype), call.value("other", dtype), dtype));
}

/// The remainder has the sign of the divisor. ONNX's Mod does that for integers; with fmod=1 it has the dividend's
/// sign.
void remainder(Call& call) {
  const DType dtype = call.dtype();
  const std::string a = call.value("self", dtype), b = call.value("other", dtype);
  if (!is_floating(dtype)) return call.set(call.emit("Mod", {a, b}));
  const Rest rest = rest_of(call, a, b, dtype);
  call.set(call.emit("Where", {rest.has_wrong_sign, call.emit("Add", {rest.value, b}), rest.value}));
}

void fmod(Call& call) {
  const DType dtype = call.dtype();
  call.set(call.emit("Mod", {call.value("self", dtype), call.value("other", dtype)}, {{"fmod", 1}}));
}

/// Emits powers in the result's dtype; squares and roots have simpler forms.
void power(Call& call) {
  const DType dtype = call.dtype();
  const std::string base = call.value("self", dtype);
  const bool known = call.constant("exponent") && !call.is_tensor("exponent");
  const double exponent = known ? call.number("exponent") : 0;
  if (exponent == 2) return call.set(call.emit("Mul", {base, base}));
  if (is_floating(dtype) && std::abs(exponent) == 0.5) {
    const std::string root = call.emit("Sqrt", {base});
    return call.set(exponent < 0 ? call.emit("Reciprocal", {root}) : root);
  }
  call.set(call.emit("Pow", {base, call.value("exponent", dtype)}));
}

/// Emits self + value * (tensor1 op tensor2).
Lowering add_combined(const std::string& op_type) {
  return [op_type](Call& call) {
    const DType dtype = call.dtype();
    const std::string inner = call.emit(op_type, {call.value("tensor1", dtype), call.value("tensor2", dtype)});
    call.set(call.emit("Add", {call.value("self", dtype), scaled(call, inner, "value", dtype)}));
  };
}

/// Emits self + weight * (end - self). From weight 0.5 on, it starts from the other end.
void lerp(Call& call) {
  const DType dtype = call.dtype();
  const std::string begin = call.value("self", dtype), end = call.value("end", dtype);
  const std::string weight = call.value("weight", dtype), step = call.emit("Sub", {end, begin});
  const std::string rest = call.emit("Sub", {call.scalar(1, dtype), weight});
  const std::string from_begin = call.emit("Add", {begin, call.emit("Mul", {weight, step})});
  const std::string from_end = call.emit("Sub", {end, call.emit("Mul", {step, rest})});
  const std::string size = call.emit("Abs", {weight});
  call.set(call.emit("Where", {call.emit("Less", {size, call.scalar(0.5, dtype)}), from_begin, from_end}));
}

}  // namespace

void register_arithmetic(Lowerings& lowerings) {
  lowerings.add({"aten::add.Tensor", "aten::add.Scalar"}, add_scaled("Add"));
  lowerings.add({"aten::sub.Tensor", "aten::sub.Scalar", "aten::subtract.Tensor", "aten::subtract.Scalar"},
                add_scaled("Sub"));
  lowerings.add({"aten::rsub.Tensor", "aten::rsub.Scalar"}, rsub);
  lowerings.add({"aten::mul.Tensor", "aten::mul.Scalar", "aten::multiply.Tensor", "aten::multiply.Scalar"}, mul);
  lowerings.add({"aten::div.Tensor", "aten::div.Scalar", "aten::div.Tensor_mode", "aten::div.Scalar_mode",
                 "aten::divide.Tensor", "aten::divide.Scalar", "aten::true_divide.Tensor", "aten::true_divide.Scalar"},
                divide);
  lowerings.add({"aten::floor_divide", "aten::floor_divide.Scalar", "aten::floor_divide.Tensor"}, floor_divide);
  lowerings.add({"aten::remainder.Tensor", "aten::remainder.Scalar", "aten::remainder.Scalar_Tensor"}, remainder);
  lowerings.add({"aten::fmod.Tensor", "aten::fmod.Scalar"}, fmod);
  lowerings.add({"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor", "aten::pow.Scalar"}, power);
  lowerings.add({"aten::minimum", "aten::min.other"}, binary("Min"));
  lowerings.add({"aten::maximum", "aten::max.other"}, binary("Max"));
  lowerings.add("aten::addcmul", add_combined("Mul"));
  lowerings.add("aten::addcdiv", add_combined("Div"));
  lowerings.add({"aten::lerp.Scalar", "aten::lerp.Tensor"}, lerp);
}

}  // namespace linnet::exporter
