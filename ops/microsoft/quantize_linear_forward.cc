#include "expansion/expanded_op.h"
#include "quantization/parameter.h"
#include "registration.h"

namespace linnet {
namespace {

/// QuantizeLinear and DequantizeLinear of com.microsoft: those of ONNX, with the same inputs and attributes. They had
/// integers of 4 and 16 bits before ONNX did. The quotient of 16-bit floats is not rounded.
/// - y_scale: positive and finite; x_scale: any, because quantisers to 4 bits write negative ones
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuantizeLinear,
/// #com.microsoft.DequantizeLinear
class Forwarded final : public ExpandedOp {
 public:
  explicit Forwarded(const NodeSpec& node) : ExpandedOp(node), op_type_(node.op_type), attributes_(node.attributes) {
    if (op_type_ == "QuantizeLinear") attributes_["precision"] = int64_t(DType::kFloat32);
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < graph.facts().size(); ++i) inputs.push_back(graph.in(i));
    if (graph.has(1) && op_type_ == "QuantizeLinear") require_positive(graph.facts()[1], "y_scale");
    return {graph.op(op_type_, inputs, attributes_)};
  }

  std::string op_type_;
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(quantize_linear_forward)(Registry& registry) {
  for (const char* name : {"QuantizeLinear", "DequantizeLinear"}) {
    add_expanded<Forwarded>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
