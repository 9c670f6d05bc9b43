#include <cmath>

#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

template <class T>
T magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else
    return x > 0 ? x : wrapping_sub(T(0), x);
}

/// Abs: y = |x|, element by element. The least signed integer, which has no counterpart, stays as it is.
/// x, y: numbers, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Abs.html
class Abs final : public UnaryOp {
 public:
  explicit Abs(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, loop(in)); }

 private:
  static InnerLoop loop(const CompileInput& in) {
    if (has_float_kernel(in.dtype(0))) return kernel_loop(in.dtype(0), kernel_table(in.isa()).unary.abs);
    return dispatch_double_or_integer(in.dtype(0), []<class T>() { return unary_loop<T>(magnitude<T>); });
  }
};

}  // namespace

void register_abs(Registry& registry) { registry.add<Abs>("Abs", {.since = 1}); }

}  // namespace linnet
