#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

enum Input { kYScale, kYZero, kFirst };

/// QLinearConcat: Y is the concatenation of quantised tensors along an axis. The inputs are Y_scale, Y_zero_point, then
/// the elements, scale and zero point of each tensor.
/// - tensors: int8/uint8, one dtype for all; scales and zero points of one element, all given
/// - axis: required; negative counts from the end
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConcat
class QLinearConcat final : public ExpandedOp {
 public:
  explicit QLinearConcat(const NodeSpec& node) : ExpandedOp(node), axis_(node.attr<int64_t>("axis")) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    const int inputs = int(graph.facts().size());
    if (inputs < 5 || inputs % 3 != 2) {
      throw Error(ErrorKind::kModel, str("takes 2 inputs and 3 for each tensor, got ", inputs));
    }
    require_given(graph, kYZero, "Y_zero_point");
    std::vector<ValueId> parts;
    for (size_t i = kFirst; i < size_t(inputs); i += 3) {
      const std::string name = str("tensor ", i / 3);
      parts.push_back(dequantized(graph, i, name));
      require_given(graph, i + 2, name + "_zero_point");
      require_same_dtype(graph.facts()[kYZero], graph.facts()[i], "Y_zero_point and " + name);
    }
    const ValueId y = graph.op("Concat", parts, {{"axis", axis_}});
    return {quantized(graph, y, kYScale, graph.facts()[kYZero].dtype, "Y")};
  }

  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(qlinear_concat)(Registry& registry) {
  add_expanded<QLinearConcat>(registry, "QLinearConcat", {.domain = kMicrosoft});
}

}  // namespace linnet
