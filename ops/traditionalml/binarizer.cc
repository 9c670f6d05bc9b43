#include "elementwise/unary_op.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

/// Binarizer: y = 1 if x > threshold, else 0 (also for NaN).
/// x, y: float32, float64, int64 or int32, any shape. Integers are compared as float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
class Binarizer final : public UnaryOp {
 public:
  explicit Binarizer(const NodeSpec& node) : threshold_(node.attr_or("threshold", 0.0f)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kMlNumbers, "X");
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, dispatch_number(in.dtype(0), [threshold = double(threshold_)]<class T>() {
                         return unary_loop<T>([threshold](T x) { return T(double(x) > threshold); });
                       }));
  }

 private:
  float threshold_;
};

}  // namespace

LINNET_REGISTER(binarizer)(Registry& registry) {
  registry.add<Binarizer>("Binarizer", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
