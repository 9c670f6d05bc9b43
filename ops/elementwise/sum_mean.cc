#include "elements/wrapping_arithmetic.h"
#include "elementwise/variadic.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

/// A loop of two operands; throws Error(kUnsupported) for dtypes that are not floats.
InnerLoop loop_of_two(const CompileInput& in, BinaryForms BinaryKernels::*of_float,
                      NumberFunction NumberKernels::*of_double) {
  if (in.dtype(0) == DType::kFloat64) {
    return number_loop(kernels_for<NumberKernels>(in.isa()).*of_double, {sizeof(double), sizeof(double)},
                       sizeof(double));
  }
  return kernel_loop(in.dtype(0), kernels_for<BinaryKernels>(in.isa()).*of_float);
}

InnerLoop add_loop(const CompileInput& in) { return loop_of_two(in, &BinaryKernels::add, &NumberKernels::add_f64); }

/// Sum: the sum of the inputs, element-wise with broadcasting, added from the first to the last.
/// - one or more inputs, y: float16/bfloat16/float/double, one dtype for all
/// Source: https://onnx.ai/onnx/operators/onnx__Sum.html
class Sum final : public VariadicOp {
 public:
  explicit Sum(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, fold_loop(in, add_loop(in))); }
};

/// Mean: the sum of the inputs divided by their number.
/// Source: https://onnx.ai/onnx/operators/onnx__Mean.html
class Mean final : public VariadicOp {
 public:
  explicit Mean(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, fold_loop(in, add_loop(in), divide_loop(in)));
  }

 private:
  static InnerLoop divide_loop(const CompileInput& in) {
    InnerLoop loop = loop_of_two(in, &BinaryKernels::div, &NumberKernels::div_f64);
    return dispatch_float(in.dtype(0), [&]<class T>() -> InnerLoop {
      return [loop, count = T(in.num_inputs())](const Operand* x, void* y, int64_t n) {
        const Operand operands[] = {*x, {&count, true}};
        loop(operands, y, n);
      };
    });
  }
};

}  // namespace

LINNET_REGISTER(sum_mean)(Registry& registry) {
  registry.add<Sum>("Sum");
  registry.add<Mean>("Mean");
}

}  // namespace linnet
