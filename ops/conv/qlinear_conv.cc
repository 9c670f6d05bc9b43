#include "conv/byte_conv.h"
#include "infer/infer.h"
#include "quantization/parameter.h"
#include "quantization/requantize.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

enum Input { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

constexpr ByteConvOperands kOperands{.x = kX, .w = kW, .x_zero = kXZero, .w_zero = kWZero};

class QLinearConvKernel final : public ByteConvKernel {
 public:
  QLinearConvKernel(const CompileInput& in, const ConvGeometry& geometry)
      : ByteConvKernel(in, geometry, kOperands),
        has_bias_(in.has(kBias)),
        scale_per_channel_(in.shape(kWScale).elements() > 1) {}

 private:
  void store(KernelContext& context, int64_t channel, int64_t first, int64_t n, const int32_t* sums,
             int64_t pitch) const override {
    const uint32_t bias = has_bias_ ? uint32_t(context.input(kBias).data<int32_t>()[channel]) : 0;
    const float w_scale = context.input(kWScale).data<float>()[scale_per_channel_ ? channel : 0];
    const float factor = *context.input(kXScale).data<float>() * w_scale / *context.input(kYScale).data<float>();
    const int32_t zero = byte_at(context.input(kYZero), 0);
    Tensor& y = context.output(0);
    for (int64_t i = 0; i < n; ++i) {
      const auto sum = int32_t(uint32_t(sums[i * pitch]) + bias);
      store_rounded(y, first + i, double(sum) * double(factor), zero);
    }
  }

  bool has_bias_, scale_per_channel_;
};

/// QLinearConv: y = saturate(round((conv(x, w) + B) / y_scale) + y_zero_point) of the dequantised x and w, ties to
/// even; B is in units of x_scale * w_scale. Integer sums wrap modulo 2^32. x [N, C, D1...], w [M, C / group, k1...], y
/// [N, M, E1...]: int8/uint8, one to three spatial axes; each with a zero point of its dtype and a float scale of one
/// element, w also [M].   B: int32 [M]; 0. Source: https://onnx.ai/onnx/operators/onnx__QLinearConv.html
class QLinearConv final : public Op {
 public:
  explicit QLinearConv(const NodeSpec& node) : attributes_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 8, 9);
    const std::optional<Dims> dims = byte_conv_dims(in, attributes_, kOperands);
    const Dim channels = dims ? (*dims)[1] : Dim();
    for (const auto& [name, i] : {std::pair("x_scale", kXScale), {"w_scale", kWScale}, {"y_scale", kYScale}}) {
      require_dtype(in[size_t(i)], DType::kFloat32, name);
      check_channel_parameter(in[size_t(i)], channels, i == kWScale, name);
    }
    const DType dtype = in[kYZero].dtype;
    if (dtype != DType::kInt8 && dtype != DType::kUint8) {
      throw Error(ErrorKind::kType, str("y_zero_point must be int8 or uint8, got ", in[kYZero]));
    }
    check_channel_parameter(in[kYZero], channels, false, "y_zero_point");
    if (has_input(in, kBias)) check_bias(in[kBias], channels);
    return {Fact(dtype, dims)};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(kW)); }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<QLinearConvKernel>(in, conv_geometry(attributes_, {}, in.shape(kX), in.shape(kW)));
  }

 private:
  static void check_bias(const Fact& bias, const Dim& channels) {
    require_dtype(bias, DType::kInt32, "B");
    require_rank(bias, 1, "B");
    if (bias.has_rank()) merge_dim(channels, bias.dim(0), "the output channels of w and the length of B");
  }

  ConvAttributes attributes_;
};

}  // namespace

LINNET_REGISTER(qlinear_conv)(Registry& registry) { registry.add<QLinearConv>("QLinearConv", {.since = 10}); }

}  // namespace linnet
