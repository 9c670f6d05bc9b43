#include "kernels/kernel_table.h"
#include "math/numbers.h"
#include "math/variadic.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Sum: the sum of the inputs, element by element with broadcasting, added from the first to the last.
/// One or more inputs, y: float16/bfloat16/float/double, all of one dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__Sum.html
class Sum final : public VariadicOp {
 public:
  explicit Sum(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    if (in.num_inputs() == 2 && has_float_kernel(dtype)) {
      return elementwise(in, kernel_loop(dtype, kernel_table(in.isa()).binary.add));
    }
    return elementwise(in,
                       dispatch_float(dtype, [&]<class T>() { return fold_loop<T>(in.num_inputs(), std::plus<T>()); }));
  }
};

/// Mean: the sum of the inputs divided by their number.
/// Source: https://onnx.ai/onnx/operators/onnx__Mean.html
class Mean final : public VariadicOp {
 public:
  explicit Mean(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, dispatch_float(in.dtype(0), [&]<class T>() {
                         return fold_loop<T>(in.num_inputs(), std::plus<T>(),
                                             [count = T(in.num_inputs())](T sum) { return sum / count; });
                       }));
  }
};

}  // namespace

void register_sum_mean(Registry& registry) {
  registry.add<Sum>("Sum");
  registry.add<Mean>("Mean");
}

}  // namespace linnet
