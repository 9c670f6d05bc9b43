#include "functions/number_functions.h"

#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"

namespace linnet {
namespace {

using D = DoubleFunctions;

constexpr DoubleFunction kDouble[] = {
    {"Abs", &D::abs, 0.5},         {"Acos", &D::acos, 2},
    {"Acosh", &D::acosh, 3},       {"Asin", &D::asin, 2},
    {"Asinh", &D::asinh, 3},       {"Atan", &D::atan, 2},
    {"Atanh", &D::atanh, 3},       {"Ceil", &D::ceil, 0.5},
    {"Cos", &D::cos, 2},           {"Cosh", &D::cosh, 2},
    {"Erf", &D::erf, 2},           {"Exp", &D::exp, 1.5},
    {"Floor", &D::floor, 0.5},     {"Log", &D::log, 1},
    {"Neg", &D::neg, 0.5},         {"Reciprocal", &D::reciprocal, 0.5},
    {"Relu", &D::relu, 0.5},       {"Round", &D::round, 0.5},
    {"Sigmoid", &D::sigmoid, 3},   {"Sign", &D::sign, 0.5},
    {"Sin", &D::sin, 2},           {"Sinh", &D::sinh, 2},
    {"Softplus", &D::softplus, 3}, {"Sqrt", &D::sqrt, 0.5},
    {"Square", &D::square, 0.5},   {"Tan", &D::tan, 3},
    {"Tanh", &D::tanh, 3},
};

}  // namespace

std::span<const DoubleFunction> double_functions() { return kDouble; }

NumberFunction number_function(std::string_view name, DType dtype, Isa isa) {
  const NumberUnaryKernels& kernels = kernels_for<NumberUnaryKernels>(isa);
  if (const IntegerFunctions* integers = kernels.integers(dtype)) {
    return name == "Abs" ? integers->abs : name == "Sign" ? integers->sign : nullptr;
  }
  for (const DoubleFunction& function : kDouble) {
    if (dtype == DType::kFloat64 && function.name == name) return kernels.doubles.*function.kernel;
  }
  return nullptr;
}

}  // namespace linnet
