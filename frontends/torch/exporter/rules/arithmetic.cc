#include <ATen/core/Tensor.h>

#include "building_blocks.h"
#include "rule_list.h"

// Arithmetic of two or three tensors, with broadcasting. ONNX promotes no types: inputs are cast to
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

}  // namespace linnet::exporter
