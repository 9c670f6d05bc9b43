#include "elements/wrapping_arithmetic.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "functions/function_table.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

/// The functions of an operator for dtypes other than float32. Division of integers depends on their type, not only on
/// their width.
struct Numbers {
  NumberFunction NumberKernels::*doubles;
  NumberFunction WidthFunctions::*integers;
  Dim (*dims)(const Dim& a, const Dim& b);
};

Dim sum_of(const Dim& a, const Dim& b) { return a + b; }
Dim difference_of(const Dim& a, const Dim& b) { return a - b; }
Dim product_of(const Dim& a, const Dim& b) { return a * b; }

/// The quotient rounded towards zero.
Dim quotient_of(const Dim& a, const Dim& b) {
  if (certainly_at_least(a, 0)) return floor_div(a, b);
  return certainly_at_least(0, a) ? 0 - floor_div(0 - a, b) : Dim();
}

/// Add, Sub, Mul, Div: y = a + b, a - b, a * b, a / b, element-wise with broadcasting (before opset 7 by the attributes
/// broadcast and axis). Integers wrap around; their quotient is rounded towards zero, and is 0 if b is 0.
/// - a, b, y: numbers of one dtype
/// Source: https://onnx.ai/onnx/operators/onnx__Add.html
class Arithmetic final : public Op, public AlignsOperands {
 public:
  Arithmetic(const NodeSpec& node, const Numbers& numbers)
      : kernel_(binary_function(node.op_type)->kernel), numbers_(numbers), broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in); }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }
  Dim element(std::span<const Dim> inputs) const override { return numbers_.dims(inputs[0], inputs[1]); }

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, broadcast_.sources(in), loop(in)); }

 private:
  InnerLoop loop(const CompileInput& in) const {
    const DType dtype = in.dtype(0);
    if (has_float_kernel(dtype)) return kernel_loop(dtype, kernels_for<BinaryKernels>(in.isa()).*kernel_);
    if (dtype == DType::kFloat64) return number_loop(kernels_for<NumberKernels>(in.isa()).*numbers_.doubles, in);
    if (!numbers_.integers) return quotients(in, kernels_for<NumberKernels>(in.isa()).order(dtype));
    const bool whole = is_integer(dtype) && dtype_bits(dtype) >= 8;
    if (!whole) throw_dtype(dtype);
    return number_loop(kernels_for<NumberKernels>(in.isa()).width(dtype)->*numbers_.integers, in);
  }

  static InnerLoop quotients(const CompileInput& in, const OrderFunctions* kernels) {
    if (!kernels || !kernels->quotient) throw_dtype(in.dtype(0));
    const InnerLoop loop = number_loop(kernels->quotient, in);
    if (!kernels->quotient_by_one) return loop;
    return [by_one = kernels->quotient_by_one, loop](const Operand* x, void* y, int64_t n) {
      if (x[0].scalar || !x[1].scalar) return loop(x, y, n);
      const void* const operands[] = {x[0].data, x[1].data};
      by_one(operands, y, n);
    };
  }

  BinaryForms BinaryKernels::*kernel_;
  Numbers numbers_;
  BinaryBroadcast broadcast_;
};

}  // namespace

LINNET_REGISTER(arithmetic)(Registry& registry) {
  const auto add = [&](const char* name, const Numbers& numbers) {
    registry.add(name, {.since = 1},
                 [numbers](const NodeSpec& node) { return std::make_unique<Arithmetic>(node, numbers); });
  };
  add("Add", {&NumberKernels::add_f64, &WidthFunctions::add, sum_of});
  add("Sub", {&NumberKernels::sub_f64, &WidthFunctions::sub, difference_of});
  add("Mul", {&NumberKernels::mul_f64, &WidthFunctions::mul, product_of});
  add("Div", {&NumberKernels::div_f64, nullptr, quotient_of});
}

}  // namespace linnet
