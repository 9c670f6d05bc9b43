#include "conv/depthwise_pointwise.h"
#include "conv/separable.h"
#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// DepthwisePointwiseConv, of the internal domain: a depthwise separable convolution, or the end of an inverted
/// residual block, y = outer(pointwise(inner(depthwise(x))) + residual).
/// x: [N, D1..., C]. w1: [C, 1, k1...]. w2: [O, C, 1...]. b1: [C], b2: [O], may be absent. residual: like y, may be
/// absent. y: [N, E1..., O]. All are float32; w1 and w2 are constant and may be float16 or bfloat16.
/// The attributes are those of the first linnet::Conv. Its activation is inner_activation, inner_activation_alpha,
/// inner_activation_beta; the other activation is that of y.
/// Source: L. Sifre, "Rigid-Motion Scattering for Image Classification", 2014.
/// Source: A. Howard et al., "MobileNets", 2017.
class DepthwisePointwiseConv final : public Op {
 public:
  explicit DepthwisePointwiseConv(const NodeSpec& node) : attributes_(node), inner_(node, "inner_"), outer_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 6);
    const Fact &x = in[0], &w1 = in[1], &w2 = in[2];
    require_dtype(x, DType::kFloat32, "input x");
    require_weights(w1, "input w1");
    require_weights(w2, "input w2");
    if (!x.has_rank() || !w1.has_rank() || !w2.has_rank()) return {Fact(DType::kFloat32, std::nullopt)};
    const Fact y = infer_pointwise(infer_depthwise(attributes_, x, w1, "w1"), w2, "w2");
    if (has_input(in, 3)) require_per_channel(in[3], w1.dim(0), "b1");
    if (has_input(in, 4)) require_per_channel(in[4], w2.dim(0), "b2");
    if (has_input(in, 5) && !compatible(y, in[5])) {
      throw Error(ErrorKind::kShape, str("the residual must be ", y, ", got ", in[5]));
    }
    return {y};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }

  int64_t multiply_adds(const NodeValues& v) const override {
    return checked_mul(pixels_of(v.out(0)), checked_add(v.in(1).size(), v.in(2).size()));
  }

  KernelPtr compile(const CompileInput& in) const override {
    for (const int weights : {1, 2}) {
      if (!in.constant(weights)) throw Error(ErrorKind::kUnsupported, "inputs w1 and w2 must be constant");
    }
    return make_depthwise_pointwise(conv_geometry(attributes_, kChannelsLast, in.shape(0), in.shape(1)), in.shape(2)[0],
                                    inner_.epilogue(in.isa()), outer_.epilogue(in.isa()), in);
  }

 private:
  ConvAttributes attributes_;
  FusedActivation inner_, outer_;
};

}  // namespace

LINNET_REGISTER(depthwise_pointwise_conv)(Registry& registry) {
  registry.add<DepthwisePointwiseConv>("DepthwisePointwiseConv", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
