#include "conv/quantized_conv.h"

#include <array>

#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// linnet::QLinearConv: y = quantize(activation(conv((x - x_zero) * x_scale, w * w_scale) + B + residual)), in the
/// internal domain, channels-last.
/// x: uint8 [N, D1..., C]. w: int8 [O, C / group, k1...]. y: uint8 or float32 [N, E1..., O]. One to three spatial axes.
/// The other inputs: QuantizedInputs, w_zero with one group only. Positions in the padding are zero. Sums wrap modulo
/// 2^32. The activation is a clamp (attributes activation, activation_alpha, activation_beta).
class QuantizedConv final : public Op {
 public:
  explicit QuantizedConv(const NodeSpec& node) : attributes_(node), activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const bool known = in.size() > Q::kW && in[Q::kW].has_rank() && in[Q::kW].rank() > 0;
    check_quantized_inputs(in, known ? in[Q::kW].dim(0) : Dim(), kWeights);
    if (has_input(in, Q::kWZero) && attributes_.group != 1) throw Error(ErrorKind::kModel, "w_zero needs one group");
    const DType dtype = quantized_output_dtype(in);
    const Fact &x = in[Q::kX], &w = in[Q::kW];
    if (!x.has_rank() || !w.has_rank()) return {Fact(dtype, std::nullopt)};
    check_conv(attributes_, kLayout, x, w);
    const Fact y(dtype, conv_output_dims(attributes_, kLayout, x, w));
    check_quantized_residual(in, y);
    return {y};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(Q::kW)); }

  KernelPtr compile(const CompileInput& in) const override {
    const ConvGeometry geometry = conv_geometry(attributes_, kLayout, in.shape(Q::kX), in.shape(Q::kW));
    if (geometry.group > 1 && geometry.group == geometry.in_channels && geometry.group == geometry.out_channels) {
      return make_quantized_depthwise_conv(geometry, activation_, in);
    }
    if (const int tile = quantized_winograd_tile(geometry, in)) {
      return make_quantized_winograd_conv(geometry, tile, activation_, in);
    }
    if (suits_quantized_grouped(geometry, in)) return make_quantized_grouped_conv(geometry, activation_, in);
    return make_quantized_gemm_conv(geometry, activation_, in);
  }

 private:
  static constexpr std::array kWeights{DType::kInt8};
  static constexpr ConvLayout kLayout{.x_channels_last = true, .y_channels_last = true};

  ConvAttributes attributes_;
  FusedActivation activation_;
};

}  // namespace

LINNET_REGISTER(quantized_conv)(Registry& registry) {
  registry.add<QuantizedConv>("QLinearConv", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
