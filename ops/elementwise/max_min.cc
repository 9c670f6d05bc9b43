#include <numeric>

#include "elements/wrapping_arithmetic.h"
#include "elementwise/variadic.h"
#include "functions/function_table.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

/// Max, Min: the maximum or minimum of the inputs, element-wise with broadcasting. NaN if any input is NaN.
/// - one or more inputs, y: numbers of one dtype
/// Source: https://onnx.ai/onnx/operators/onnx__Max.html
template <NumberFunction OrderFunctions::*kOfTwo, Dim (*kOfDims)(const Dim& a, const Dim& b)>
class Extremum final : public VariadicOp {
 public:
  explicit Extremum(const NodeSpec& node) : kernel_(binary_function(node.op_type)->kernel) {}

  Dim element(std::span<const Dim> inputs) const override {
    return std::accumulate(inputs.begin() + 1, inputs.end(), inputs[0], kOfDims);
  }

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, fold_loop(in, loop_of_two(in))); }

 private:
  InnerLoop loop_of_two(const CompileInput& in) const {
    const DType dtype = in.dtype(0);
    if (has_float_kernel(dtype)) return kernel_loop(dtype, kernels_for<BinaryKernels>(in.isa()).*kernel_);
    const OrderFunctions* functions = kernels_for<NumberKernels>(in.isa()).order(dtype);
    if (!functions || dtype == DType::kBool) throw_dtype(dtype);
    const auto bytes = size_t(dtype_bits(dtype)) / 8;
    return number_loop(functions->*kOfTwo, {bytes, bytes}, bytes);
  }

  BinaryForms BinaryKernels::*kernel_;
};

}  // namespace

LINNET_REGISTER(max_min)(Registry& registry) {
  registry.add<Extremum<&OrderFunctions::max, max>>("Max");
  registry.add<Extremum<&OrderFunctions::min, min>>("Min");
}

}  // namespace linnet
