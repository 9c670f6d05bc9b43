#include "building_blocks.h"
#include "rule_list.h"

// Arithmetic of Python's numbers, which sizes of dynamic axes go through. They are tensors of rank 0 in ONNX.
namespace linnet::exporter {
namespace {

/// op(a, b) in the dtype of the result.
Lowering arithmetic(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(call.emit(op_type, {call.value("a", call.dtype()), call.value("b", call.dtype())}));
  };
}

Lowering comparison(const std::string& op_type, bool negated = false) {
  return [=](Call& call) {
    const at::ScalarType common = call.promoted({"a", "b"});
    const at::ScalarType dtype = common == at::kFloat ? at::kDouble : common;
    const std::string y = call.emit(op_type, {call.value("a", dtype), call.value("b", dtype)});
    call.set(negated ? call.emit("Not", {y}) : y);
  };
}

/// Rounded down, as Python does.
void floor_division(Call& call) {
  const std::string a = call.value("a", at::kDouble), b = call.value("b", at::kDouble);
  call.set(call.cast(call.emit("Floor", {call.emit("Div", {a, b})}), call.dtype()));
}

void negation(Call& call) { call.set(call.emit("Neg", {call.value("a")})); }

/// A whole number below or above.
Lowering rounding(const std::string& op_type) {
  return
      [op_type](Call& call) { call.set(call.cast(call.emit(op_type, {call.value("a", at::kDouble)}), call.dtype())); };
}

/// Lists of ints, sizes mostly, have the same numbers.
Lowering list_comparison(bool negated) {
  return [negated](Call& call) {
    if (call.length("a") != call.length("b")) return call.fold();
    const std::string same = call.cast(call.emit("Equal", {call.shape("a"), call.shape("b")}), at::kInt);
    const std::string all = call.cast(reduce(call, "ReduceMin", same, {0}, false), at::kBool);
    call.set(negated ? call.emit("Not", {all}) : all);
  };
}

void logical_not(Call& call) { call.set(call.emit("Not", {call.value("self", at::kBool)})); }

}  // namespace

void register_python_numbers(Lowerings& lowerings) {
  for (const char* overload : {".int", ".float", ".int_float", ".float_int", ""}) {
    const auto name = [&](const std::string& op) { return op + overload; };
    lowerings.add(name("aten::add"), arithmetic("Add"));
    lowerings.add(name("aten::sub"), arithmetic("Sub"));
    lowerings.add(name("aten::mul"), arithmetic("Mul"));
    lowerings.add(name("aten::remainder"), arithmetic("Mod"));
    lowerings.add(name("aten::floordiv"), floor_division);
    lowerings.add(name("prim::min"), arithmetic("Min"));
    lowerings.add(name("prim::max"), arithmetic("Max"));
    lowerings.add(name("aten::gt"), comparison("Greater"));
    lowerings.add(name("aten::ge"), comparison("GreaterOrEqual"));
    lowerings.add(name("aten::lt"), comparison("Less"));
    lowerings.add(name("aten::le"), comparison("LessOrEqual"));
    lowerings.add(name("aten::eq"), comparison("Equal"));
    lowerings.add(name("aten::ne"), comparison("Equal", true));
  }
  lowerings.add({"aten::div", "aten::div.int", "aten::div.float"}, arithmetic("Div"));
  lowerings.add("aten::eq.int_list", list_comparison(false));
  lowerings.add("aten::ne.int_list", list_comparison(true));
  lowerings.add({"aten::neg.int", "aten::neg.float"}, negation);
  lowerings.add({"aten::floor.int", "aten::floor.float"}, rounding("Floor"));
  lowerings.add({"aten::ceil.int", "aten::ceil.float"}, rounding("Ceil"));
  lowerings.add("aten::__not__", logical_not);
  lowerings.add("aten::__and__.bool", arithmetic("And"));
  lowerings.add("aten::__or__.bool", arithmetic("Or"));
}

}  // namespace linnet::exporter
