#include "functions/function_table.h"
#include "kernels/kernel_table.h"
#include "math/elementwise.h"
#include "math/numbers.h"
#include "op_list.h"

namespace linnet {
namespace {

struct AddFunction {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_add(a, b);
  }
};

struct SubFunction {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_sub(a, b);
  }
};

struct MulFunction {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_mul(a, b);
  }
};

struct DivFunction {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return 0;
      if (std::is_signed_v<T> && b == T(-1)) return wrapping_sub(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};

/// Add, Sub, Mul, Div: y = a + b, a - b, a * b, a / b, element by element, with broadcasting (before opset 7 by the
/// attributes broadcast and axis). Integers wrap around; their quotient is rounded towards zero, and 0 where b is 0.
/// a, b, y: numbers of one dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__Add.html
template <class Function>
class Arithmetic final : public Op {
 public:
  explicit Arithmetic(const NodeSpec& node) : kernel_(binary_function(node.op_type)->kernel), broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in); }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in), loop(in.dtype(0), in.isa()));
  }

 private:
  InnerLoop loop(DType dtype, Isa isa) const {
    if (has_float_kernel(dtype)) return kernel_loop(dtype, kernel_table(isa).binary.*kernel_);
    return dispatch_double_or_integer(dtype, []<class T>() { return binary_loop<T>(Function()); });
  }

  BinaryForms BinaryKernels::*kernel_;
  BinaryBroadcast broadcast_;
};

}  // namespace

void register_arithmetic(Registry& registry) {
  registry.add<Arithmetic<AddFunction>>("Add");
  registry.add<Arithmetic<SubFunction>>("Sub");
  registry.add<Arithmetic<MulFunction>>("Mul");
  registry.add<Arithmetic<DivFunction>>("Div");
}

}  // namespace linnet
