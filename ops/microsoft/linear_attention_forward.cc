#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// LinearAttention: that of ONNX, with the same inputs, attributes and outputs. Does not support a state_window other
/// than 0, or more key-value heads than query heads.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.LinearAttention
class LinearAttentionForward final : public ExpandedOp {
 public:
  explicit LinearAttentionForward(const NodeSpec& node) : ExpandedOp(node), attributes_(node.attributes) {
    if (const int64_t window = node.attr_or("state_window", 0); window != 0) {
      throw Error(ErrorKind::kUnsupported, str("state_window must be 0 here, got ", window));
    }
    attributes_.erase("state_window");
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < graph.facts().size(); ++i) inputs.push_back(graph.in(i));
    NodeSpec spec;
    spec.op_type = "LinearAttention";
    spec.opset = 27;
    spec.attributes = attributes_;
    return graph.node(std::move(spec), inputs, 2);
  }

  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(linear_attention_forward)(Registry& registry) {
  add_expanded<LinearAttentionForward>(registry, "LinearAttention", {.domain = kMicrosoft});
}

}  // namespace linnet
