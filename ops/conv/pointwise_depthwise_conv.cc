#include "conv/pointwise_depthwise.h"
#include "conv/separable.h"
#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// PointwiseDepthwiseConv, of the internal domain: the expansion of an inverted residual block, followed by the
/// convolution of each channel, y = outer(depthwise(inner(pointwise(x)))).
/// x: [N, H, W, C]. w1: [E, C, 1, 1]. w2: [E, 1, k1, k2]. b1, b2: [E], may be absent. y: [N, H', W', E]. All are
/// float32; w1 and w2 are constant and may be float16 or bfloat16.
/// The attributes are those of the second linnet::Conv. The activation of the first is inner_activation,
/// inner_activation_alpha, inner_activation_beta.
/// Source: M. Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018.
class PointwiseDepthwiseConv final : public Op {
 public:
  explicit PointwiseDepthwiseConv(const NodeSpec& node) : attributes_(node), inner_(node, "inner_"), outer_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 5);
    const Fact &x = in[0], &w1 = in[1], &w2 = in[2];
    require_dtype(x, DType::kFloat32, "input x");
    require_weights(w1, "input w1");
    require_weights(w2, "input w2");
    require_rank(x, 4, "input x");
    if (!x.has_rank() || !w1.has_rank() || !w2.has_rank()) return {Fact(DType::kFloat32, std::nullopt)};
    const Fact y = infer_depthwise(attributes_, infer_pointwise(x, w1, "w1"), w2, "w2");
    if (has_input(in, 3)) require_per_channel(in[3], w1.dim(0), "b1");
    if (has_input(in, 4)) require_per_channel(in[4], w2.dim(0), "b2");
    return {y};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }

  int64_t multiply_adds(const NodeValues& v) const override {
    return checked_add(checked_mul(pixels_of(v.in(0)), v.in(1).size()), conv_multiply_adds(v.out(0), v.in(2)));
  }

  KernelPtr compile(const CompileInput& in) const override {
    for (const int weights : {1, 2}) {
      if (!in.constant(weights)) throw Error(ErrorKind::kUnsupported, "inputs w1 and w2 must be constant");
    }
    const Shape x = in.shape(0);
    const Shape expanded{x[0], x[1], x[2], in.shape(1)[0]};
    return make_pointwise_depthwise(x[3], conv_geometry(attributes_, kChannelsLast, expanded, in.shape(2)),
                                    inner_.epilogue(in.isa()), outer_.epilogue(in.isa()), in);
  }

 private:
  ConvAttributes attributes_;
  FusedActivation inner_, outer_;
};

}  // namespace

LINNET_REGISTER(pointwise_depthwise_conv)(Registry& registry) {
  registry.add<PointwiseDepthwiseConv>("PointwiseDepthwiseConv", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
