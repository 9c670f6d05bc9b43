#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "quantization/parameter.h"
#include "quantization/requantize.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// QLinearConv: y = saturate(round((conv(x, w) + B) / y_scale) + y_zero_point) of the dequantised x and w, rounding
/// ties to even. B is in units of x_scale * w_scale. Integer sums wrap modulo 2^32.
/// x [N, C, D1...], w [M, C / group, k1...], y [N, M, E1...]: int8/uint8, one to three spatial axes. Each has a zero
/// point of its dtype and a float scale of one element; those of w may also be [M]. B: int32 [M]; 0 if absent.
/// Source: https://onnx.ai/onnx/operators/onnx__QLinearConv.html
class QLinearConv final : public ExpandedOp {
 public:
  explicit QLinearConv(const NodeSpec& node) : ExpandedOp(node, Precision::kFloat32), attributes_(node.attributes) {}

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(kW)); }

 private:
  enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 8, 9);
    ValueId sums =
        graph.op("ConvInteger", {graph.in(kX), graph.in(kW), graph.in(kXZero), graph.in(kWZero)}, attributes_);
    const Fact y = graph.fact(sums);
    check_operands(graph.facts(), y.has_rank() ? y.dim(1) : Dim());
    if (!y.has_rank()) return {graph.unknown(graph.facts()[kYZero].dtype)};
    std::vector<int64_t> by_channel(size_t(y.rank() - 1), 1);
    by_channel[0] = -1;
    if (graph.has(kBias)) sums = graph.op("Add", {sums, graph.reshape(graph.in(kBias), by_channel)});
    const ValueId scale = graph.op("Mul", {graph.in(kXScale), graph.in(kWScale)});
    const ValueId factor = graph.op("Div", {scale, graph.in(kYScale)});
    return {requantized(graph, sums, graph.reshape(factor, by_channel), graph.reshape(graph.in(kYZero), {1}))};
  }

  static void check_operands(std::span<const Fact> in, const Dim& channels) {
    for (const auto& [name, i] : {std::pair("x_scale", kXScale), {"w_scale", kWScale}, {"y_scale", kYScale}}) {
      require_dtype(in[size_t(i)], DType::kFloat32, name);
      check_channel_parameter(in[size_t(i)], channels, i == kWScale, name);
    }
    require_dtype_in(in[kYZero], kByteTypes, "y_zero_point");
    check_channel_parameter(in[kYZero], channels, false, "y_zero_point");
    if (!has_input(in, kBias)) return;
    require_dtype(in[kBias], DType::kInt32, "B");
    require_rank(in[kBias], 1, "B");
    if (in[kBias].has_rank()) merge_dim(channels, in[kBias].dim(0), "the output channels of w and the length of B");
  }

  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(qlinear_conv)(Registry& registry) { add_expanded<QLinearConv>(registry, "QLinearConv", {.since = 10}); }

}  // namespace linnet
