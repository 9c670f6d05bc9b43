#include "elementwise/unary_op.h"
#include "functions/function_table.h"
#include "functions/number_functions.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "registration.h"

namespace linnet {
namespace {

/// The forms of an operator as text, such as "'none' or 'tanh'".
std::string forms_of(const std::string& op_type) {
  std::string result;
  for (const UnaryFunction& f : unary_functions()) {
    if (f.op_type() == op_type) result += str(result.empty() ? "'" : " or '", f.form.value, "'");
  }
  return result;
}

Activation checked_activation_of(const NodeSpec& node, const Form& form) {
  if (const auto activation = activation_of(node)) return *activation;
  throw Error(ErrorKind::kModel, str(form.attribute, " must be ", forms_of(node.op_type), ", got '",
                                     node.attr<std::string>(form.attribute), "'"));
}

InnerLoop scalar_loop(const Activation& activation, DType dtype) {
  return [f = activation.function->scalar(dtype), alpha = activation.alpha, beta = activation.beta](
             const Operand* x, void* y, int64_t n) { f(x[0].data, y, n, alpha, beta); };
}

/// y = f(x), element-wise, for the operators of the table of functions. NaN gives NaN.
/// - x, y: float, double, for some functions integers; any shape
/// - attributes: the parameters in the table; for Gelu also approximate, "none" or "tanh"
/// Source: https://onnx.ai/onnx/operators/
class UnaryFunctionOp final : public UnaryOp {
 public:
  explicit UnaryFunctionOp(const Activation& activation) : activation_(activation) {}

  Dim element(std::span<const Dim> inputs) const override {
    const auto of_dim = activation_.function->of_dim;
    return of_dim ? of_dim(inputs[0]) : Dim();
  }

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, loop(in)); }

 private:
  InnerLoop loop(const CompileInput& in) const {
    const auto& [function, alpha, beta] = activation_;
    const DType dtype = in.dtype(0);
    if (dtype == DType::kFloat32 && function->kernel) {
      return kernel_loop(dtype, kernels_for<UnaryKernels>(in.isa()).*function->kernel, alpha, beta);
    }
    const NumberFunction kernel = number_function(function->name, dtype, in.isa());
    return kernel ? number_loop(kernel, in) : scalar_loop(activation_, dtype);
  }

  Activation activation_;
};

}  // namespace

LINNET_REGISTER(unary_functions)(Registry& registry) {
  for (const UnaryFunction& f : unary_functions()) {
    if (f.since == 0) continue;
    registry.add(std::string(f.op_type()), {.since = f.since}, [&f](const NodeSpec& node) {
      return std::make_unique<UnaryFunctionOp>(checked_activation_of(node, f.form));
    });
  }
}

}  // namespace linnet
