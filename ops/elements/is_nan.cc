#include "elements/classify.h"
#include "registration.h"

namespace linnet {
namespace {

/// IsNaN: y = whether x is NaN, element-wise.
/// - x: floating-point or float8, any shape; y: bool
/// Source: https://onnx.ai/onnx/operators/onnx__IsNaN.html
class IsNaN final : public ClassifyOp {
 public:
  explicit IsNaN(const NodeSpec&) {}

  KernelPtr compile(const CompileInput& in) const override {
    return classify(in, &KindFunctions::nan, [](double x) { return x != x; });
  }
};

}  // namespace

LINNET_REGISTER(is_nan)(Registry& registry) { registry.add<IsNaN>("IsNaN", {.since = 9}); }

}  // namespace linnet
