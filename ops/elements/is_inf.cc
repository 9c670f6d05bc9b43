#include <cstring>
#include <limits>

#include "elements/classify.h"
#include "registration.h"

namespace linnet {
namespace {

/// IsInf: y = whether x is infinite with a sign that detect_positive or detect_negative selects, element-wise.
/// - x: floating-point or float8, any shape; y: bool
/// Source: https://onnx.ai/onnx/operators/onnx__IsInf.html
class IsInf final : public ClassifyOp {
 public:
  explicit IsInf(const NodeSpec& node)
      : positive_(node.attr_or("detect_positive", true)), negative_(node.attr_or("detect_negative", true)) {}

  KernelPtr compile(const CompileInput& in) const override {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (positive_ && negative_) {
      return classify(in, &KindFunctions::infinite, [](double x) { return x == kInfinity || x == -kInfinity; });
    }
    if (positive_) return classify(in, &KindFunctions::positive_infinite, [](double x) { return x == kInfinity; });
    if (negative_) return classify(in, &KindFunctions::negative_infinite, [](double x) { return x == -kInfinity; });
    return elementwise(in, [](const Operand*, void* y, int64_t n) { std::memset(y, 0, size_t(n)); });
  }

 private:
  bool positive_, negative_;
};

}  // namespace

LINNET_REGISTER(is_inf)(Registry& registry) { registry.add<IsInf>("IsInf", {.since = 10}); }

}  // namespace linnet
