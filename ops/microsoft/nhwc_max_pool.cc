#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// NhwcMaxPool: the maximum of each window of a tensor with the channels last. Attributes are as for MaxPool, without
/// storage_order.
/// - x, y: int8/uint8, one dtype for both, [N, spatial axes, C]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.NhwcMaxPool
class NhwcMaxPool final : public ExpandedOp {
 public:
  explicit NhwcMaxPool(const NodeSpec& node)
      : ExpandedOp(node),
        attributes_(node.attributes),
        rank_(int(node.attr<std::vector<int64_t>>("kernel_shape").size()) + 2) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    require_bytes(graph, 0, "x");
    require_rank(graph.facts()[0], rank_, "x");
    const ValueId y = graph.op("MaxPool", {channels_first(graph, graph.in(0), rank_)}, attributes_);
    return {channels_last(graph, y, rank_)};
  }

  Attributes attributes_;
  int rank_;
};

}  // namespace

LINNET_REGISTER(nhwc_max_pool)(Registry& registry) {
  add_expanded<NhwcMaxPool>(registry, "NhwcMaxPool", {.domain = kMicrosoft});
}

}  // namespace linnet
