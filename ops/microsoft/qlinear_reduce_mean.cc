#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearReduceMean: the quantised mean of a quantised tensor over the axes. axes and keepdims are required.
/// - data, reduced: int8/uint8, one dtype for both, each with a scale and a zero point of one element, which may be
///   omitted
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearReduceMean
class QLinearReduceMean final : public ExpandedOp {
 public:
  explicit QLinearReduceMean(const NodeSpec& node)
      : ExpandedOp(node), axes_(node.attr<std::vector<int64_t>>("axes")), keep_(node.attr<int64_t>("keepdims")) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 5);
    const ValueId data = dequantized(graph, 0, "data");
    const ValueId mean = graph.op("ReduceMean", {data, graph.ints(axes_)}, {{"keepdims", keep_}});
    return {quantized(graph, mean, 3, graph.facts()[0].dtype, "reduced")};
  }

  std::vector<int64_t> axes_;
  int64_t keep_;
};

}  // namespace

LINNET_REGISTER(qlinear_reduce_mean)(Registry& registry) {
  add_expanded<QLinearReduceMean>(registry, "QLinearReduceMean", {.domain = kMicrosoft});
}

}  // namespace linnet
