#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Arithmetic on Python numbers, which computes with sizes of dynamic axes. In ONNX they are tensors of rank 0.
namespace linnet::exporter {
namespace {

/// Emits op(a, b) in the dtype of the result.
Lowering arithmetic(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(call.emit(op_type, {call.value("a", call.dtype()), call.value("b", call.dtype())}));
  };
}

Lowering number_comparison(const std::string& op_type, bool negated = false) {
  return [=](Call& call) {
    const DType common = call.promoted({"a", "b"});
    const DType dtype = common == DType::kFloat32 ? DType::kFloat64 : common;
    const std::string y = call.emit(op_type, {call.value("a", dtype), call.value("b", dtype)});
    call.set(negated ? call.emit("Not", {y}) : y);
  };
}

/// Rounds down, as Python does.
void floor_division(Call& call) {
  const std::string a = call.value("a", DType::kFloat64), b = call.value("b", DType::kFloat64);
  call.set(call.cast(call.emit("Floor", {call.emit("Div", {a, b})}), call.dtype()));
}

/// The remainder has the sign of the divisor. ONNX's Mod does that for integers; with fmod=1 it has the dividend's
/// sign.
void number_remainder(Call& call) {
  const DType dtype = call.dtype();
  const std::string a = call.value("a", dtype), b = call.value("b", dtype);
  if (!is_floating(dtype)) return call.set(call.emit("Mod", {a, b}));
  const std::string rest = call.emit("Mod", {a, b}, {{"fmod", 1}});
  const std::string sum = call.emit("Add", {rest, b});
  call.set(call.emit("Mod", {sum, b}, {{"fmod", 1}}));
}

void negation(Call& call) { call.set(call.emit("Neg", {call.value("a")})); }

void absolute(Call& call) { call.set(call.emit("Abs", {call.value("a")})); }

/// Rounds to a whole number below or above.
Lowering number_rounding(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(call.cast(call.emit(op_type, {call.value("a", DType::kFloat64)}), call.dtype()));
  };
}

/// Compares lists of ints, which are mostly sizes.
Lowering list_comparison(bool negated) {
  return [negated](Call& call) {
    if (call.length("a") != call.length("b")) return call.set(call.constant_of(Tensor::scalar(negated)));
    const std::string same = call.cast(call.emit("Equal", {call.shape("a"), call.shape("b")}), DType::kInt32);
    const std::string all = call.cast(reduce(call, "ReduceMin", same, {0}, false), DType::kBool);
    call.set(negated ? call.emit("Not", {all}) : all);
  };
}

/// Broadcasts the sizes of two shapes: if one size is 1, the other counts.
void infer_size(Call& call) {
  const Names a = call.values("a"), b = call.values("b");
  const size_t rank = std::max(a.size(), b.size());
  Names sizes;
  for (size_t i = 0; i < rank; ++i) {
    const bool only_a = i + b.size() < rank, only_b = i + a.size() < rank;
    const std::string x = only_b ? "" : a[i + a.size() - rank], y = only_a ? "" : b[i + b.size() - rank];
    if (only_a || only_b) {
      sizes.push_back(only_a ? x : y);
    } else {
      sizes.push_back(call.emit("Where", {call.emit("Equal", {x, call.scalar(1, DType::kInt64)}), y, x}));
    }
  }
  call.set_list(sizes);
}

void number_not(Call& call) { call.set(call.emit("Not", {call.value("self", DType::kBool)})); }

}  // namespace

void register_python_numbers(Lowerings& lowerings) {
  for (const char* overload : {".int", ".float", ".int_float", ".float_int", ""}) {
    const auto name = [&](const std::string& op) { return op + overload; };
    lowerings.add(name("aten::add"), arithmetic("Add"));
    lowerings.add(name("aten::sub"), arithmetic("Sub"));
    lowerings.add(name("aten::mul"), arithmetic("Mul"));
    lowerings.add(name("aten::remainder"), number_remainder);
    lowerings.add(name("aten::floordiv"), floor_division);
    lowerings.add(name("prim::min"), arithmetic("Min"));
    lowerings.add(name("prim::max"), arithmetic("Max"));
    lowerings.add(name("aten::gt"), number_comparison("Greater"));
    lowerings.add(name("aten::ge"), number_comparison("GreaterOrEqual"));
    lowerings.add(name("aten::lt"), number_comparison("Less"));
    lowerings.add(name("aten::le"), number_comparison("LessOrEqual"));
    lowerings.add(name("aten::eq"), number_comparison("Equal"));
    lowerings.add(name("aten::ne"), number_comparison("Equal", true));
  }
  lowerings.add({"aten::div", "aten::div.int", "aten::div.float"}, arithmetic("Div"));
  lowerings.add("aten::pow.int", arithmetic("Pow"));
  lowerings.add("aten::eq.int_list", list_comparison(false));
  lowerings.add("aten::ne.int_list", list_comparison(true));
  lowerings.add({"aten::neg.int", "aten::neg.float"}, negation);
  lowerings.add({"aten::floor.int", "aten::floor.float"}, number_rounding("Floor"));
  lowerings.add({"aten::ceil.int", "aten::ceil.float"}, number_rounding("Ceil"));
  lowerings.add("aten::_infer_size", infer_size);
  lowerings.add({"prim::abs.int", "prim::abs.float", "prim::abs"}, absolute);
  lowerings.add("aten::__not__", number_not);
  lowerings.add("aten::__and__.bool", arithmetic("And"));
  lowerings.add("aten::__or__.bool", arithmetic("Or"));
}

}  // namespace linnet::exporter
