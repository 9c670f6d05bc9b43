#include "infer/infer.h"
#include "microsoft/integer_product.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// DynamicQuantizeMatMul: Y = A * (B - b_zero_point) * b_scale + bias as numpy.matmul. A is quantised to uint8 as by
/// DynamicQuantizeLinear; integer sums are exact modulo 2^32.
/// - A: float32 [..., M, K]; B: int8/uint8 [..., K, N]; Y: float32 [..., M, N]
/// - b_scale: float32, one element or [N]
/// - b_zero_point (0): of B's dtype, with the shape of b_scale
/// - bias (0): float32 [N]
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeMatMul
class DynamicQuantizeMatMul final : public ExpandedOp {
 public:
  explicit DynamicQuantizeMatMul(const NodeSpec& node) : ExpandedOp(node) {}

 private:
  enum Input { kA, kB, kBScale, kBZero, kBias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 5);
    require_dtype(graph.facts()[kA], DType::kFloat32, "A");
    require_bytes(graph, kB, "B");
    check_scale(graph, kBScale, kBZero, graph.facts()[kB].dtype, "b", Granularity::kAxis);
    const std::vector<ValueId> a = graph.op("DynamicQuantizeLinear", {graph.in(kA)}, 3);
    return {
        integer_product(graph, {a[0], graph.in(kB), a[1], graph.in(kBScale), a[2], graph.in(kBZero), graph.in(kBias)})};
  }
};

}  // namespace

LINNET_REGISTER(dynamic_quantize_matmul)(Registry& registry) {
  add_expanded<DynamicQuantizeMatMul>(registry, "DynamicQuantizeMatMul", {.domain = kMicrosoft});
}

}  // namespace linnet
