#include <cmath>
#include <numbers>

#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double gelu_tanh(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

/// Gelu: y = x/2 (1 + erf(x / sqrt 2)), or with approximate = "tanh" its approximation by tanh.
/// x, y: float16/bfloat16/float/double, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Gelu.html
class Gelu final : public UnaryOp {
 public:
  explicit Gelu(const NodeSpec& node) {
    const std::string approximate = node.attr_or("approximate", "none");
    if (approximate != "none" && approximate != "tanh") {
      throw Error(ErrorKind::kModel, str("approximate must be 'none' or 'tanh', got '", approximate, "'"));
    }
    tanh_ = approximate == "tanh";
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (in.dtype(0) == DType::kFloat64) return elementwise(in, unary_loop<double>(tanh_ ? gelu_tanh : gelu));
    const UnaryKernels& kernels = kernel_table(in.isa()).unary;
    return elementwise(in, kernel_loop(in.dtype(0), tanh_ ? kernels.gelu_tanh : kernels.gelu));
  }

 private:
  bool tanh_;
};

}  // namespace

void register_gelu(Registry& registry) { registry.add<Gelu>("Gelu", {.since = 20}); }

}  // namespace linnet
