#include "kernels/kernel_table.h"
#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Relu: y = x < 0 ? 0 : x, element by element. NaN gives NaN.
/// x, y: numbers, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Relu.html
class Relu final : public UnaryOp {
 public:
  explicit Relu(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, loop(in)); }

 private:
  static InnerLoop loop(const CompileInput& in) {
    if (has_float_kernel(in.dtype(0))) return kernel_loop(in.dtype(0), kernel_table(in.isa()).unary.relu);
    return dispatch_double_or_integer(in.dtype(0),
                                      []<class T>() { return unary_loop<T>([](T x) { return x < 0 ? T(0) : x; }); });
  }
};

}  // namespace

void register_relu(Registry& registry) { registry.add<Relu>("Relu", {.since = 1}); }

}  // namespace linnet
