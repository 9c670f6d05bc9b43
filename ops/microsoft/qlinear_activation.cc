#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearSigmoid: Y = 1 / (1 + e^-X) of a quantised tensor. QLinearLeakyRelu: Y = X where it is not negative, else
/// alpha * X.
/// - X, Y: int8/uint8, one dtype for both, each with a scale and a zero point of one element, which may be omitted
/// - alpha (0.01)
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSigmoid,
/// #com.microsoft.QLinearLeakyRelu
class QLinearActivation final : public ExpandedOp {
 public:
  explicit QLinearActivation(const NodeSpec& node) : ExpandedOp(node), op_type_(node.op_type.substr(7)) {
    if (op_type_ == "LeakyRelu") attributes_["alpha"] = node.attr_or("alpha", 0.01f);
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 5);
    const ValueId y = graph.op(op_type_, {dequantized(graph, 0, "X")}, attributes_);
    return {quantized(graph, y, 3, graph.facts()[0].dtype, "Y")};
  }

  std::string op_type_;  // without the prefix QLinear
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(qlinear_activation)(Registry& registry) {
  for (const char* name : {"QLinearSigmoid", "QLinearLeakyRelu"}) {
    add_expanded<QLinearActivation>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
