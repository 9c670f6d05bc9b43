#include <ATen/core/Tensor.h>

#include <cmath>
#include <map>

#include "building_blocks.h"
#include "rule_list.h"

// Functions of one tensor, element by element, in the dtype of the result.
namespace linnet::exporter {
namespace {

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

}  // namespace

void register_unary_functions(Lowerings& lowerings) {
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

}  // namespace linnet::exporter
