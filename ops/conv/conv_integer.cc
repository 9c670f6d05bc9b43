#include "conv/byte_conv.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

class ConvIntegerKernel final : public ByteConvKernel {
 public:
  using ByteConvKernel::ByteConvKernel;

 private:
  void store(KernelContext& context, int64_t /*channel*/, int64_t first, int64_t n, const int32_t* sums,
             int64_t pitch) const override {
    int32_t* y = context.output(0).data<int32_t>() + first;
    for (int64_t i = 0; i < n; ++i) y[i] = sums[i * pitch];
  }
};

/// ConvInteger: the convolution of x - x_zero_point with w - w_zero_point; sums wrap modulo 2^32. The padding is 0
/// after the zero point is subtracted. x: int8/uint8 [N, C, D1...].   w: int8/uint8 [M, C / group, k1...], one to three
/// spatial axes.   x_zero_point: x's dtype, one element; 0.   w_zero_point: w's dtype, one element or [M]; 0.   y:
/// int32 [N, M, E1...]. Source: https://onnx.ai/onnx/operators/onnx__ConvInteger.html
class ConvInteger final : public Op {
 public:
  explicit ConvInteger(const NodeSpec& node) : attributes_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    return {Fact(DType::kInt32, byte_conv_dims(in, attributes_, {}))};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(1)); }

  KernelPtr compile(const CompileInput& in) const override {
    const ConvGeometry geometry = conv_geometry(attributes_, {}, in.shape(0), in.shape(1));
    return std::make_unique<ConvIntegerKernel>(in, geometry, ByteConvOperands{});
  }

 private:
  ConvAttributes attributes_;
};

}  // namespace

LINNET_REGISTER(conv_integer)(Registry& registry) { registry.add<ConvInteger>("ConvInteger", {.since = 10}); }

}  // namespace linnet
