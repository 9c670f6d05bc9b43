#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearAdd: C = A + B of quantised tensors, with NumPy's broadcasting. QLinearMul: C = A * B.
/// - A, B, C: int8/uint8, one dtype for all, each with a scale and a zero point of one element, which may be omitted
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAdd,
/// #com.microsoft.QLinearMul
class QLinearArithmetic final : public ExpandedOp {
 public:
  explicit QLinearArithmetic(const NodeSpec& node) : ExpandedOp(node), op_type_(node.op_type.substr(7)) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 8);
    const ValueId a = dequantized(graph, 0, "A"), b = dequantized(graph, 3, "B");
    require_same_dtype(graph.facts()[0], graph.facts()[3], "A and B");
    return {quantized(graph, graph.op(op_type_, {a, b}), 6, graph.facts()[0].dtype, "C")};
  }

  std::string op_type_;  // without the prefix QLinear
};

}  // namespace

LINNET_REGISTER(qlinear_arithmetic)(Registry& registry) {
  for (const char* name : {"QLinearAdd", "QLinearMul"}) {
    add_expanded<QLinearArithmetic>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
