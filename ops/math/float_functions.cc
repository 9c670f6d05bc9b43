#include <cmath>

#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

/// A row of the table: float32, float16 and bfloat16 are computed by `kernel` or else by `f32`, float64 by `f64`.
struct FloatFunction {
  const char* name;
  int64_t since;
  UnaryKernels::F UnaryKernels::*kernel;
  float (*f32)(float);
  double (*f64)(double);
  bool integers = false;  ///< integers, too: the float32 result rounded towards zero
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double hard_swish(double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0.0), 1.0); }
double mish(double x) { return x * std::tanh(softplus(x)); }
double softsign(double x) { return x / (1 + std::fabs(x)); }
double reciprocal(double x) { return 1 / x; }

constexpr FloatFunction kFunctions[] = {
    {"Acos", 7, nullptr, std::acos, std::acos},
    {"Acosh", 9, nullptr, std::acosh, std::acosh},
    {"Asin", 7, nullptr, std::asin, std::asin},
    {"Asinh", 9, &UnaryKernels::asinh, nullptr, std::asinh},
    {"Atan", 7, nullptr, std::atan, std::atan},
    {"Atanh", 9, nullptr, std::atanh, std::atanh},
    {"Ceil", 1, &UnaryKernels::ceil, nullptr, std::ceil},
    {"Cos", 7, &UnaryKernels::cos, nullptr, std::cos},
    {"Cosh", 9, nullptr, std::cosh, std::cosh},
    {"Erf", 9, &UnaryKernels::erf, nullptr, std::erf, true},
    {"Exp", 1, &UnaryKernels::exp, nullptr, std::exp},
    {"Floor", 1, &UnaryKernels::floor, nullptr, std::floor},
    {"HardSwish", 14, &UnaryKernels::hard_swish, nullptr, hard_swish},
    {"Log", 1, &UnaryKernels::log, nullptr, std::log},
    {"Mish", 18, &UnaryKernels::mish, nullptr, mish},
    {"Reciprocal", 1, &UnaryKernels::reciprocal, nullptr, reciprocal},
    {"Round", 11, &UnaryKernels::round, nullptr, std::nearbyint},
    {"Sigmoid", 1, &UnaryKernels::sigmoid, nullptr, sigmoid},
    {"Sin", 7, &UnaryKernels::sin, nullptr, std::sin},
    {"Sinh", 9, nullptr, std::sinh, std::sinh},
    {"Softplus", 1, &UnaryKernels::softplus, nullptr, softplus},
    {"Softsign", 1, &UnaryKernels::softsign, nullptr, softsign},
    {"Sqrt", 1, &UnaryKernels::sqrt, nullptr, std::sqrt},
    {"Tan", 7, nullptr, std::tan, std::tan},
    {"Tanh", 1, &UnaryKernels::tanh, nullptr, std::tanh},
};

/// y = f(x), element by element, for the functions of kFunctions. Round takes ties to even.
/// x, y: float16/bfloat16/float/double, for Erf integers, too; any shape.
/// Source: https://onnx.ai/onnx/operators/
class FloatFunctionOp final : public UnaryOp {
 public:
  explicit FloatFunctionOp(const FloatFunction& row) : row_(row) {}

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, loop(in)); }

 private:
  InnerLoop loop(const CompileInput& in) const {
    const DType dtype = in.dtype(0);
    if (dtype == DType::kFloat64) return unary_loop<double>(row_.f64);
    if (row_.integers && is_integer(dtype)) {
      return dispatch_integer(
          dtype, [this]<class T>() { return unary_loop<T>([f = row_.f64](T x) { return T(float(f(double(x)))); }); });
    }
    if (row_.kernel) return kernel_loop(dtype, kernel_table(in.isa()).unary.*row_.kernel);
    return float32_loop(dtype, unary_loop<float>(row_.f32), 1);
  }

  const FloatFunction& row_;
};

}  // namespace

void register_float_functions(Registry& registry) {
  for (const FloatFunction& row : kFunctions) {
    registry.add(row.name, {.since = row.since},
                 [&row](const NodeSpec&) { return std::make_unique<FloatFunctionOp>(row); });
  }
}

}  // namespace linnet
