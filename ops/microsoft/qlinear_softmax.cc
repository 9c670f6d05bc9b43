#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearSoftmax: Y = e^X / (sum of e^X along the axis) of a quantised tensor, as Softmax of ONNX opset `opset`: since
/// opset 13 along one axis, before over all dims from the axis on.
/// - X, Y: int8/uint8, one dtype for both, rank >= 1, each with a scale and a zero point of one element; X's may be
///   omitted
/// - axis (-1); opset: required
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSoftmax
class QLinearSoftmax final : public ExpandedOp {
 public:
  explicit QLinearSoftmax(const NodeSpec& node) : ExpandedOp(node) {
    spec_.op_type = "Softmax";
    spec_.opset = node.attr<int64_t>("opset");
    spec_.attributes["axis"] = node.attr_or("axis", -1);
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 5);
    const ValueId y = graph.node(spec_, {dequantized(graph, 0, "X")}, 1)[0];
    require_given(graph, 4, "y_zero_point");
    return {quantized(graph, y, 3, graph.facts()[0].dtype, "y")};
  }

  NodeSpec spec_;
};

}  // namespace

LINNET_REGISTER(qlinear_softmax)(Registry& registry) {
  add_expanded<QLinearSoftmax>(registry, "QLinearSoftmax", {.domain = kMicrosoft});
}

}  // namespace linnet
