#include "math/unary_op.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Shrink: y = x + bias below -lambd, x - bias above lambd, 0 between; NaN gives 0.
/// x, y: numbers, any shape; integers are computed in double and rounded towards zero.
/// Source: https://onnx.ai/onnx/operators/onnx__Shrink.html
class Shrink final : public UnaryOp {
 public:
  explicit Shrink(const NodeSpec& node) : bias_(node.attr_or("bias", 0.0f)), lambd_(node.attr_or("lambd", 0.5f)) {}

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, dispatch_number(in.dtype(0), [&]<class T>() {
                         using C = std::conditional_t<std::is_integral_v<T>, double, Compute<T>>;
                         return unary_loop<T>([bias = C(bias_), lambd = C(lambd_)](Compute<T> x) {
                           const C value = static_cast<C>(x);
                           return value < -lambd ? value + bias : value > lambd ? value - bias : C(0);
                         });
                       }));
  }

 private:
  float bias_, lambd_;
};

}  // namespace

void register_shrink(Registry& registry) { registry.add<Shrink>("Shrink", {.since = 9}); }

}  // namespace linnet
