#include <cmath>

#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

struct Parameter {
  const char* attribute = nullptr;
  float fallback = 0;
};

/// A row of the table: a function of x and up to two parameters, which come from attributes.
struct ActivationFunction {
  const char* name;
  int64_t since;
  UnaryKernels::F UnaryKernels::*kernel;
  double (*f64)(double x, double alpha, double beta);
  Parameter alpha;
  Parameter beta{};
};

double celu(double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }
double elu(double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }
double hard_sigmoid(double x, double alpha, double beta) {
  const double y = alpha * x + beta;
  return y < 0 ? 0 : y > 1 ? 1 : y;
}
double leaky_relu(double x, double alpha, double) { return x < 0 ? alpha * x : x; }
double selu(double x, double alpha, double gamma) { return gamma * elu(x, alpha, 0); }
double swish(double x, double alpha, double) { return x / (1 + std::exp(-alpha * x)); }
double thresholded_relu(double x, double alpha, double) { return x <= alpha ? 0 : x; }

constexpr ActivationFunction kFunctions[] = {
    {"Celu", 12, &UnaryKernels::celu, celu, {"alpha", 1.0f}},
    {"Elu", 1, &UnaryKernels::elu, elu, {"alpha", 1.0f}},
    {"HardSigmoid", 1, &UnaryKernels::hard_sigmoid, hard_sigmoid, {"alpha", 0.2f}, {"beta", 0.5f}},
    {"LeakyRelu", 1, &UnaryKernels::leaky_relu, leaky_relu, {"alpha", 0.01f}},
    {"Selu", 1, &UnaryKernels::selu, selu, {"alpha", 1.6732f}, {"gamma", 1.0507f}},
    {"Selu",
     6,
     &UnaryKernels::selu,
     selu,
     {"alpha", 1.67326319217681884765625f},
     {"gamma", 1.05070102214813232421875f}},
    {"Swish", 24, &UnaryKernels::swish, swish, {"alpha", 1.0f}},
    {"ThresholdedRelu", 10, &UnaryKernels::thresholded_relu, thresholded_relu, {"alpha", 1.0f}},
};

/// y = f(x), element by element, for the functions of kFunctions.
/// x, y: float16/bfloat16/float/double, any shape. NaN gives NaN.
/// Source: https://onnx.ai/onnx/operators/
class ActivationOp final : public UnaryOp {
 public:
  ActivationOp(const ActivationFunction& row, const NodeSpec& node)
      : row_(row), alpha_(value(node, row.alpha)), beta_(value(node, row.beta)) {}

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    if (dtype == DType::kFloat64) {
      return elementwise(in, unary_loop<double>([f = row_.f64, alpha = double{alpha_}, beta = double{beta_}](double x) {
                           return f(x, alpha, beta);
                         }));
    }
    return elementwise(in, kernel_loop(dtype, kernel_table(in.isa()).unary.*row_.kernel, alpha_, beta_));
  }

 private:
  static float value(const NodeSpec& node, const Parameter& parameter) {
    return parameter.attribute ? node.attr_or(parameter.attribute, parameter.fallback) : 0.0f;
  }

  const ActivationFunction& row_;
  float alpha_, beta_;
};

}  // namespace

void register_activations(Registry& registry) {
  for (const ActivationFunction& row : kFunctions) {
    registry.add(row.name, {.since = row.since},
                 [&row](const NodeSpec& node) { return std::make_unique<ActivationOp>(row, node); });
  }
}

}  // namespace linnet
