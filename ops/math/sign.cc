#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Sign: y = -1, 0 or 1 as x is below, equal to or above 0, element by element. NaN gives NaN.
/// x, y: numbers, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Sign.html
class Sign final : public UnaryOp {
 public:
  explicit Sign(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, dispatch_number(in.dtype(0), []<class T>() {
                         using C = Compute<T>;
                         return unary_loop<T>([](C x) { return x > 0 ? C(1) : x < 0 ? C(-1) : x; });
                       }));
  }
};

}  // namespace

void register_sign(Registry& registry) { registry.add<Sign>("Sign", {.since = 9}); }

}  // namespace linnet
