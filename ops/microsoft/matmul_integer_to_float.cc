#include "infer/infer.h"
#include "microsoft/integer_product.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// MatMulIntegerToFloat: Y = (A - a_zero_point) * a_scale * (B - b_zero_point) * b_scale + bias as numpy.matmul.
/// Integer sums are exact modulo 2^32.
/// - A: int8/uint8 [..., M, K]; B: int8/uint8 [..., K, N]; Y: float32 [..., M, N]
/// - a_scale, b_scale: float32, one element; b_scale may be [N]
/// - a_zero_point, b_zero_point (0): of A's and B's dtype, with the shapes of the scales
/// - bias (0): float32 [N]
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulIntegerToFloat
class MatMulIntegerToFloat final : public ExpandedOp {
 public:
  explicit MatMulIntegerToFloat(const NodeSpec& node) : ExpandedOp(node) {}

 private:
  enum Input { kA, kB, kAScale, kBScale, kAZero, kBZero, kBias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 4, 7);
    require_bytes(graph, kA, "A");
    require_bytes(graph, kB, "B");
    check_scale(graph, kAScale, kAZero, graph.facts()[kA].dtype, "a");
    check_scale(graph, kBScale, kBZero, graph.facts()[kB].dtype, "b", Granularity::kAxis);
    return {integer_product(graph, {graph.in(kA), graph.in(kB), graph.in(kAScale), graph.in(kBScale), graph.in(kAZero),
                                    graph.in(kBZero), graph.in(kBias)})};
  }
};

}  // namespace

LINNET_REGISTER(matmul_integer_to_float)(Registry& registry) {
  add_expanded<MatMulIntegerToFloat>(registry, "MatMulIntegerToFloat", {.domain = kMicrosoft});
}

}  // namespace linnet
