#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

template <class T>
T negated(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return -x;
  else
    return wrapping_sub(T(0), x);
}

/// Neg: y = -x, element by element; integers wrap around.
/// x, y: numbers, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Neg.html
class Neg final : public UnaryOp {
 public:
  explicit Neg(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, loop(in)); }

 private:
  static InnerLoop loop(const CompileInput& in) {
    if (has_float_kernel(in.dtype(0))) return kernel_loop(in.dtype(0), kernel_table(in.isa()).unary.neg);
    return dispatch_double_or_integer(in.dtype(0), []<class T>() { return unary_loop<T>(negated<T>); });
  }
};

}  // namespace

void register_neg(Registry& registry) { registry.add<Neg>("Neg", {.since = 1}); }

}  // namespace linnet
