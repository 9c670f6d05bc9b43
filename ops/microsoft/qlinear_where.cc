#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearWhere: Z = X where the condition holds, else Y, of quantised tensors, with NumPy's broadcasting.
/// - condition: bool
/// - X, Y, Z: int8/uint8, one dtype for all, each with a scale and a zero point of one element
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearWhere
class QLinearWhere final : public ExpandedOp {
 public:
  explicit QLinearWhere(const NodeSpec& node) : ExpandedOp(node) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 9, 9);
    require_dtype(graph.facts()[0], DType::kBool, "condition");
    const ValueId x = dequantized(graph, 1, "X"), y = dequantized(graph, 4, "Y");
    require_same_dtype(graph.facts()[1], graph.facts()[4], "X and Y");
    return {quantized(graph, graph.op("Where", {graph.in(0), x, y}), 7, graph.facts()[1].dtype, "Z")};
  }
};

}  // namespace

LINNET_REGISTER(qlinear_where)(Registry& registry) {
  add_expanded<QLinearWhere>(registry, "QLinearWhere", {.domain = kMicrosoft});
}

}  // namespace linnet
