#include "conv/conv_kernel.h"
#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// Conv: y[n, o, p] = bias[o] + sum over c, k of w[o, c, k] * x[n, c, p * stride - pad + k * dilation], per group. x:
/// [N, C, D1...], w: [O, C / group, k1...], bias: [O], y: [N, O, E1...]; one to three spatial axes; float types.
/// The operator of the internal domain "linnet" differs:
/// - y is channels-last [N, D1..., C], and so is x without the attribute x_channels_first.
/// - A fourth input of y's shape is added to the sum.
/// - A fifth input, slope: [O], then multiplies negative values, before the activation (attributes activation,
///   activation_alpha, activation_beta).
/// - It is float32 only, but a constant w may be float16 or bfloat16.
/// PlaneConv of that domain is the same on channels-first data, without the fourth and fifth inputs.
/// Source: https://onnx.ai/onnx/operators/onnx__Conv.html
class Conv final : public Op {
 public:
  explicit Conv(const NodeSpec& node)
      : attributes_(node),
        internal_(node.domain == kInternalDomain),
        layout_{internal_ && node.op_type == "Conv" && node.attr_or("x_channels_first", int64_t{0}) == 0,
                internal_ && node.op_type == "Conv"},
        activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, layout_.y_channels_last ? 5 : 3);
    const Fact& x = in[0];
    const Fact& w = in[1];
    if (internal_) {
      require_dtype(x, DType::kFloat32, "input X");
    } else {
      require_floating(x, "input X");
    }
    internal_ ? require_weights(w, "input W") : require_same_dtype(x, w, "inputs X and W");
    if (!x.has_rank() || !w.has_rank()) return {Fact(x.dtype, std::nullopt)};
    check_conv(attributes_, layout_, x, w);
    const Fact y(x.dtype, conv_output_dims(attributes_, layout_, x, w));
    if (has_input(in, 2)) check_per_channel(in[2], x, w, "B");
    if (has_input(in, 4)) check_per_channel(in[4], x, w, "slope");
    if (has_input(in, 3) && !compatible(y, in[3])) {
      throw Error(ErrorKind::kShape, str("the residual must be ", y, ", got ", in[3]));
    }
    return {y};
  }

  Precision computes_in(std::span<const Fact>) const override {
    return internal_ ? Precision::kAsGiven : Precision::kFloat32;
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(1)); }

  KernelPtr compile(const CompileInput& in) const override {
    require_constant_narrow(in, 1, "input W");
    const ConvGeometry geometry = conv_geometry(attributes_, layout_, in.shape(0), in.shape(1));
    if (in.dtype(0) == DType::kFloat64) return make_conv_f64(geometry, in);
    return make_conv_kernel(geometry, layout_, activation_.epilogue(in.isa()), in);
  }

 private:
  static void check_per_channel(const Fact& values, const Fact& x, const Fact& w, const std::string& name) {
    require_same_dtype(x, values, "inputs X and " + name);
    require_rank(values, 1, "input " + name);
    if (values.has_rank()) merge_dim(w.dim(0), values.dim(0), "the output channels of W and the length of " + name);
  }

  ConvAttributes attributes_;
  bool internal_;
  ConvLayout layout_;
  FusedActivation activation_;
};

}  // namespace

LINNET_REGISTER(conv)(Registry& registry) {
  registry.add<Conv>("Conv", {.since = 1});
  registry.add<Conv>("Conv", {.since = 1, .domain = kInternalDomain});
  registry.add<Conv>("PlaneConv", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
