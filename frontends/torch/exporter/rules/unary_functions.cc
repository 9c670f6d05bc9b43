#include <cmath>
#include <map>

#include "building_blocks.h"
#include "rule_list.h"

// Elementwise functions of one tensor, in the dtype of the result.
namespace linnet::exporter {
namespace {

void square(Call& call) {
  const std::string x = call.value("self", call.dtype());
  call.set(call.emit("Mul", {x, x}));
}

void rsqrt(Call& call) { call.set(call.emit("Reciprocal", {call.emit("Sqrt", {call.value("self", call.dtype())})})); }

/// Emits log(x) / log(base).
Lowering logarithm(double base) {
  return [base](Call& call) {
    const std::string natural = call.emit("Log", {call.value("self", call.dtype())});
    call.set(call.emit("Mul", {natural, call.scalar(1 / std::log(base), call.dtype())}));
  };
}

/// Emits log(1 + x). Near 0, where 1 + x loses digits of x, emits 2 atanh(x / (2 + x)).
void log1p(Call& call) {
  const DType dtype = call.dtype();
  const std::string x = call.value("self", dtype), two = call.scalar(2, dtype);
  const std::string half = call.emit("Atanh", {call.emit("Div", {x, call.emit("Add", {x, two})})});
  const std::string far = call.emit("Log", {call.emit("Add", {x, call.scalar(1, dtype)})});
  const std::string is_near = call.emit("Less", {call.emit("Abs", {x}), call.scalar(0.5, dtype)});
  call.set(call.emit("Where", {is_near, call.emit("Mul", {half, two}), far}));
}

/// Emits exp(x) - 1 as tanh(x / 2) (exp(x) + 1), which preserves the digits of a small x.
void expm1(Call& call) {
  const DType dtype = call.dtype();
  const std::string x = call.value("self", dtype);
  const std::string tanh = call.emit("Tanh", {call.emit("Mul", {x, call.scalar(0.5, dtype)})});
  call.set(call.emit("Mul", {tanh, call.emit("Add", {call.emit("Exp", {x}), call.scalar(1, dtype)})}));
}

/// The sign of NaN is 0.
void sign(Call& call) {
  const DType dtype = call.dtype();
  const std::string x = call.value();
  if (dtype == DType::kBool) return call.set(x);
  const std::string y = call.emit("Sign", {x});
  const bool floating = is_floating(dtype);
  call.set(floating ? call.emit("Where", {call.emit("IsNaN", {x}), call.scalar(0, dtype), y}) : y);
}

void exp2(Call& call) { call.set(call.emit("Pow", {call.scalar(2, call.dtype()), call.value("self", call.dtype())})); }

/// Integers are already rounded and stay.
Lowering rounding(const std::string& op_type) {
  return [op_type](Call& call) {
    call.set(is_floating(call.dtype()) ? call.emit(op_type, {call.value()}) : call.value());
  };
}

std::string truncated(Call& call) {
  return call.emit("Mul", {call.emit("Floor", {call.emit("Abs", {call.value()})}), call.emit("Sign", {call.value()})});
}

void trunc(Call& call) { call.set(is_floating(call.dtype()) ? truncated(call) : call.value()); }
void frac(Call& call) { call.set(call.emit("Sub", {call.value(), truncated(call)})); }

}  // namespace

void register_unary_functions(Lowerings& lowerings) {
  for (const auto& [name, op_type] : std::map<std::string, std::string>{{"abs", "Abs"},
                                                                        {"neg", "Neg"},
                                                                        {"negative", "Neg"},
                                                                        {"exp", "Exp"},
                                                                        {"log", "Log"},
                                                                        {"sqrt", "Sqrt"},
                                                                        {"sin", "Sin"},
                                                                        {"cos", "Cos"},
                                                                        {"tan", "Tan"},
                                                                        {"asin", "Asin"},
                                                                        {"acos", "Acos"},
                                                                        {"atan", "Atan"},
                                                                        {"sinh", "Sinh"},
                                                                        {"cosh", "Cosh"},
                                                                        {"asinh", "Asinh"},
                                                                        {"acosh", "Acosh"},
                                                                        {"atanh", "Atanh"},
                                                                        {"erf", "Erf"},
                                                                        {"reciprocal", "Reciprocal"}}) {
    lowerings.add("aten::" + name, unary(op_type));
  }
  lowerings.add("aten::square", square);
  lowerings.add({"aten::sign", "aten::sgn"}, sign);
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

}  // namespace linnet::exporter
