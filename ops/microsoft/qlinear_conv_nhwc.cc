#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QLinearConv of com.microsoft: y = conv(x, w) + B of dequantised x and w, as QLinearConv of ONNX. With channels_last,
/// x is [N, D1..., C], and y [N, E1..., M]. Other attributes are as for Conv.
/// - x, w [M, C / group, k1...], y: int8/uint8, one to three spatial axes, each with a float32 scale and a zero point
///   of its dtype, of one element; w's may be [M]
/// - B (0): int32 [M], in units of x_scale * w_scale
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConv
class QLinearConvNhwc final : public ExpandedOp {
 public:
  explicit QLinearConvNhwc(const NodeSpec& node)
      : ExpandedOp(node), attributes_(node.attributes), channels_last_(node.attr_or("channels_last", false)) {
    attributes_.erase("channels_last");
  }

 private:
  enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 8, 9);
    require_bytes(graph, kYZero, "y_zero_point");
    const DType dtype = graph.facts()[kYZero].dtype;
    const ValueId w = dequantized(graph, kW, "w", 0);
    const Fact& ranked = graph.facts()[graph.facts()[kX].has_rank() ? kX : kW];
    if (channels_last_ && !ranked.has_rank()) return {graph.unknown(dtype)};
    if (channels_last_) require_rank_at_least(ranked, 3, "x");
    const int rank = ranked.has_rank() ? ranked.rank() : 0;
    std::vector<ValueId> inputs{
        channels_last_ ? dequantized_channels_first(graph, kX, "x", rank) : dequantized(graph, kX, "x"), w};
    if (graph.has(kBias)) inputs.push_back(bias(graph));
    const ValueId y = quantized(graph, graph.op("Conv", inputs, attributes_), kYScale, dtype, "y");
    return {channels_last_ ? channels_last(graph, y, rank) : y};
  }

  static ValueId bias(Expansion& graph) {
    require_dtype(graph.facts()[kBias], DType::kInt32, "B");
    const ValueId scale = graph.op("Mul", {graph.in(kXScale), graph.in(kWScale)});
    return graph.op("DequantizeLinear", {graph.in(kBias), scale}, {{"axis", int64_t{0}}});
  }

  Attributes attributes_;
  bool channels_last_;
};

}  // namespace

LINNET_REGISTER(qlinear_conv_nhwc)(Registry& registry) {
  add_expanded<QLinearConvNhwc>(registry, "QLinearConv", {.domain = kMicrosoft});
}

}  // namespace linnet
