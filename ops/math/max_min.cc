#include "functions/function_table.h"
#include "kernels/kernel_table.h"
#include "math/numbers.h"
#include "math/variadic.h"
#include "op_list.h"

namespace linnet {
namespace {

struct MaxFunction {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

struct MinFunction {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

/// Max, Min: the greatest or least of the inputs, element by element with broadcasting. NaN where any input is NaN.
/// One or more inputs, y: numbers of one dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__Max.html
template <class Function, NumberFunction OrderFunctions::*kOfTwo>
class Extremum final : public VariadicOp {
 public:
  explicit Extremum(const NodeSpec& node) : kernel_(binary_function(node.op_type)->kernel) {}

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    if (in.num_inputs() == 2 && has_float_kernel(dtype)) {
      return elementwise(in, kernel_loop(dtype, kernel_table(in.isa()).binary.*kernel_));
    }
    const OrderFunctions* functions = kernel_table(in.isa()).numbers.order(dtype);
    if (in.num_inputs() == 2 && functions && dtype != DType::kBool) {
      return elementwise(in, number_loop(functions->*kOfTwo, in));
    }
    return elementwise(in,
                       dispatch_number(dtype, [&]<class T>() { return fold_loop<T>(in.num_inputs(), Function()); }));
  }

 private:
  BinaryForms BinaryKernels::*kernel_;
};

}  // namespace

void register_max_min(Registry& registry) {
  registry.add<Extremum<MaxFunction, &OrderFunctions::max>>("Max");
  registry.add<Extremum<MinFunction, &OrderFunctions::min>>("Min");
}

}  // namespace linnet
