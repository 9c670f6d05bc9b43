#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearAveragePool: the mean of each window of a quantised tensor.
/// - kernel_shape: required; ceil_mode, count_include_pad, pads, strides, auto_pad: as for AveragePool
/// - X, Y: int8/uint8, one dtype for both, [N, C, spatial axes], or [N, spatial axes, C] with channels_last; each with
///   a scale and a zero point of one element, which may be omitted
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAveragePool
class QLinearAveragePool final : public ExpandedOp {
 public:
  explicit QLinearAveragePool(const NodeSpec& node)
      : ExpandedOp(node),
        attributes_(node.attributes),
        channels_last_(node.attr_or("channels_last", false)),
        rank_(int(node.attr<std::vector<int64_t>>("kernel_shape").size()) + 2) {
    attributes_.erase("channels_last");
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 5);
    ValueId x = dequantized(graph, 0, "X");
    require_rank(graph.facts()[0], rank_, "X");
    if (channels_last_) x = channels_first(graph, x, rank_);
    ValueId y = graph.op("AveragePool", {x}, attributes_);
    if (channels_last_) y = channels_last(graph, y, rank_);
    return {quantized(graph, y, 3, graph.facts()[0].dtype, "Y")};
  }

  Attributes attributes_;
  bool channels_last_;
  int rank_;
};

/// QLinearGlobalAveragePool: the mean of each channel of a quantised tensor.
/// - X, Y: int8/uint8, one dtype for both, [N, C, spatial axes], or [N, spatial axes, C] with channels_last, where
///   spatial dims are 1 in Y; each with a scale and a zero point of one element
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearGlobalAveragePool
class QLinearGlobalAveragePool final : public ExpandedOp {
 public:
  explicit QLinearGlobalAveragePool(const NodeSpec& node)
      : ExpandedOp(node), channels_last_(node.attr_or("channels_last", false)) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 5);
    const ValueId x = dequantized(graph, 0, "X");
    require_rank_at_least(graph.facts()[0], 3, "X");
    const DType dtype = graph.facts()[0].dtype;
    if (channels_last_ && !graph.facts()[0].has_rank()) return {graph.unknown(dtype)};
    return {quantized(graph, channels_last_ ? mean(graph, x) : graph.op("GlobalAveragePool", {x}), 3, dtype, "Y")};
  }

  static ValueId mean(Expansion& graph, ValueId x) {
    std::vector<int64_t> axes;
    for (int64_t i = 1; i < graph.facts()[0].rank() - 1; ++i) axes.push_back(i);
    return graph.op("ReduceMean", {x, graph.ints(axes)});
  }

  bool channels_last_;
};

}  // namespace

LINNET_REGISTER(qlinear_pool)(Registry& registry) {
  add_expanded<QLinearAveragePool>(registry, "QLinearAveragePool", {.domain = kMicrosoft});
  add_expanded<QLinearGlobalAveragePool>(registry, "QLinearGlobalAveragePool", {.domain = kMicrosoft});
}

}  // namespace linnet
