#include "functions/number_functions.h"

#include "kernels/kernel_table.h"

namespace linnet {
namespace {

using D = DoubleFunctions;

constexpr DoubleFunction kDouble[] = {
    {"Abs", &D::abs, 0.5},
    {"Ceil", &D::ceil, 0.5},
    {"Exp", &D::exp, 1.5},
    {"Floor", &D::floor, 0.5},
    {"Log", &D::log, 1},
    {"Neg", &D::neg, 0.5},
    {"Reciprocal", &D::reciprocal, 0.5},
    {"Relu", &D::relu, 0.5},
    {"Round", &D::round, 0.5},
    {"Sigmoid", &D::sigmoid, 3},
    {"Sign", &D::sign, 0.5},
    {"Sqrt", &D::sqrt, 0.5},
    {"Square", &D::square, 0.5},
    {"Tanh", &D::tanh, 3},
};

}  // namespace

std::span<const DoubleFunction> double_functions() { return kDouble; }

NumberFunction number_function(std::string_view name, DType dtype, Isa isa) {
  const NumberUnaryKernels& kernels = kernel_table(isa).number_unary;
  if (const IntegerFunctions* integers = kernels.integers(dtype)) {
    return name == "Abs" ? integers->abs : name == "Sign" ? integers->sign : nullptr;
  }
  for (const DoubleFunction& function : kDouble) {
    if (dtype == DType::kFloat64 && function.name == name) return kernels.doubles.*function.kernel;
  }
  return nullptr;
}

}  // namespace linnet
