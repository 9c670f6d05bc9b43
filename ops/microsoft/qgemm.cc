#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QGemm: Y = alpha * op(A) * op(B) + C of dequantised A and B. op transposes if transA or transB is set.
/// - A: [M, K], B: [K, N]: int8/uint8, each with a float32 scale and a zero point of its dtype, of one element; B's may
///   be [N]
/// - C (0): int32, broadcast to [M, N], in units of alpha * a_scale * b_scale
/// - y_scale, y_zero_point: one element. Without them, Y is float32 [M, N], else of the zero point's dtype, int8 or
///   uint8.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QGemm
class QGemm final : public ExpandedOp {
 public:
  explicit QGemm(const NodeSpec& node)
      : ExpandedOp(node),
        alpha_(node.attr_or("alpha", 1.0f)),
        trans_a_(node.attr_or("transA", 0)),
        trans_b_(node.attr_or("transB", 0)) {}

 private:
  enum Input { kA, kAScale, kAZero, kB, kBScale, kBZero, kC, kYScale, kYZero };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 6, 9);
    std::vector<ValueId> inputs{dequantized(graph, kA, "A"), dequantized(graph, kB, "B", trans_b_ ? 0 : 1)};
    if (graph.has(kC)) inputs.push_back(bias(graph));
    const ValueId y = graph.op("Gemm", inputs, {{"alpha", alpha_}, {"transA", trans_a_}, {"transB", trans_b_}});
    if (graph.has(kYScale) != graph.has(kYZero)) {
      throw Error(ErrorKind::kModel, "y_scale and y_zero_point must be given together");
    }
    if (!graph.has(kYScale)) return {y};
    require_bytes(graph, kYZero, "y_zero_point");
    return {quantized(graph, y, kYScale, graph.facts()[kYZero].dtype, "y")};
  }

  ValueId bias(Expansion& graph) const {
    require_dtype(graph.facts()[kC], DType::kInt32, "C");
    const ValueId scale = graph.op("Mul", {graph.in(kAScale), graph.in(kBScale)});
    const ValueId unit = graph.op("Mul", {scale, graph.scalar(alpha_)});
    return graph.op("Mul", {graph.cast(graph.in(kC), DType::kFloat32), unit});
  }

  float alpha_;
  int64_t trans_a_, trans_b_;
};

}  // namespace

LINNET_REGISTER(qgemm)(Registry& registry) { add_expanded<QGemm>(registry, "QGemm", {.domain = kMicrosoft}); }

}  // namespace linnet
