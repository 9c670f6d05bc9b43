#include "building_blocks.h"
#include "rule_list.h"

// Comparisons, logic and choices, with broadcasting. ONNX does not promote types, so inputs are cast to the dtype that
// PyTorch computes in, and results to the dtype that it returns.
// Source: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
namespace linnet::exporter {
namespace {

/// For in-place forms, converts bools to numbers of the tensor's dtype.
void set_bools(Call& call, const std::string& y) {
  call.set(call.dtype() == DType::kBool ? y : call.cast(y, call.dtype()));
}

/// Emits op(self, other) as bool, compared in the common dtype.
Lowering comparison(const std::string& op_type, bool negated = false) {
  return [op_type, negated](Call& call) {
    const DType common = call.promoted({"self", "other"});
    const bool order = op_type != "Equal";
    const DType dtype = order && common == DType::kBool ? DType::kInt32 : common;
    const std::string y = call.emit(op_type, {call.value("self", dtype), call.value("other", dtype)});
    set_bools(call, negated ? call.emit("Not", {y}) : y);
  };
}

/// Emits op of two tensors as bools.
Lowering logical(const std::string& op_type) {
  return [op_type](Call& call) {
    set_bools(call, call.emit(op_type, {call.value("self", DType::kBool), call.value("other", DType::kBool)}));
  };
}

/// Emits the logical form for bools and the bitwise form for integers.
Lowering bitwise(const std::string& logical_type, const std::string& bitwise_type) {
  return [=](Call& call) {
    const bool logic = call.dtype() == DType::kBool;
    if (!logic) call.require_opset(18, bitwise_type);
    const DType dtype = call.dtype();
    call.set(call.emit(logic ? logical_type : bitwise_type, {call.value("self", dtype), call.value("other", dtype)}));
  };
}

void logical_not(Call& call) { set_bools(call, call.emit("Not", {call.value("self", DType::kBool)})); }

void bitwise_not(Call& call) {
  if (call.dtype() == DType::kBool) return logical_not(call);
  call.require_opset(18, "BitwiseNot");
  call.set(call.emit("BitwiseNot", {call.value()}));
}

void is_finite(Call& call) {
  if (!is_floating(call.tensor().dtype)) return call.set(call.emit("Equal", {call.value(), call.value()}));
  const std::string bad = call.emit("Or", {call.emit("IsNaN", {call.value()}), call.emit("IsInf", {call.value()})});
  call.set(call.emit("Not", {bad}));
}

std::string never(Call& call) {
  return call.emit("Expand", {call.scalar(0, DType::kBool), call.emit("Shape", {call.value()})});
}

/// Integers and bools are never NaN or infinite.
Lowering float_property(const std::string& op_type) {
  return [op_type](Call& call) {
    const DType dtype = call.tensor().dtype;
    if (!is_floating(dtype)) return call.set(never(call));
    call.set(call.emit(op_type, {call.value("self", dtype == DType::kFloat16 ? DType::kFloat32 : dtype)}));
  };
}

void where(Call& call) {
  const DType dtype = call.dtype();
  call.set(call.emit("Where",
                     {call.value("condition", DType::kBool), call.value("self", dtype), call.value("other", dtype)}));
}

/// Emits the value where the mask is set, self elsewhere.
void masked_fill(Call& call) {
  const DType dtype = call.dtype();
  call.set(
      call.emit("Where", {call.value("mask", DType::kBool), call.value("value", dtype), call.value("self", dtype)}));
}

/// Emits x * 2^count, which wraps around, or x / 2^count, rounded down.
Lowering shift(bool left) {
  return [left](Call& call) {
    const DType dtype = call.dtype();
    if (is_floating(dtype)) call.refuse("only integers are covered");
    const std::string x = call.value("self", DType::kInt64), count = call.value("other", DType::kInt64);
    const std::string factor = call.emit("Pow", {call.scalar(2, DType::kInt64), count});
    if (left) return call.set(call.cast(call.emit("Mul", {x, factor}), dtype));
    const std::string rest = call.emit("Mod", {x, factor});
    call.set(call.cast(call.emit("Div", {call.emit("Sub", {x, rest}), factor}), dtype));
  };
}

}  // namespace

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
  lowerings.add({"aten::__lshift__.Scalar", "aten::__lshift__.Tensor", "aten::bitwise_left_shift.Tensor",
                 "aten::bitwise_left_shift.Tensor_Scalar"},
                shift(true));
  lowerings.add({"aten::__rshift__.Scalar", "aten::__rshift__.Tensor", "aten::bitwise_right_shift.Tensor",
                 "aten::bitwise_right_shift.Tensor_Scalar"},
                shift(false));
  lowerings.add("aten::isfinite", is_finite);
  lowerings.add("aten::isnan", float_property("IsNaN"));
  lowerings.add("aten::isinf", float_property("IsInf"));
  lowerings.add({"aten::where.self", "aten::where.ScalarSelf", "aten::where.ScalarOther", "aten::where.Scalar"}, where);
  lowerings.add({"aten::masked_fill.Scalar", "aten::masked_fill.Tensor"}, masked_fill);
}

}  // namespace linnet::exporter
