#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "quantization/integers.h"
#include "registration.h"

namespace linnet {
namespace {

class DequantizeKernel final : public ScaledBlocksKernel {
 public:
  DequantizeKernel(const CompileInput& in, const ScaleReader& scales)
      : ScaledBlocksKernel(in, scales, wide_writer(WideKind::kReal, in.output_dtype(0))),
        x_is_integer_(is_integer(in.dtype(0))) {}

 private:
  void convert(const ScaleBlock& scales, int64_t n, Wide* block) const override {
    for (int64_t i = 0; i < n; ++i) block[i].d = dequantized(block[i], scales.scale[i], scales.zero_point[i]);
  }

  float dequantized(const Wide& x, float scale, float zero_point) const {
    const double value = x_is_integer_ ? static_cast<double>(x.i) : x.d;
    return static_cast<float>(value - zero_point) * scale;
  }

  bool x_is_integer_;
};

/// DequantizeLinear: y = (x - x_zero_point) * x_scale, computed in float.
/// x: 2 to 32 bit integers, float8, float6, float4e2m1, any shape.
/// x_scale: float/float16/bfloat16/float8e8m0; see ScaleLayout.
/// x_zero_point: x's dtype, the scale's shape; 0 if omitted.
/// y: output_dtype, else the scale's dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
class DequantizeLinear final : public Op {
 public:
  explicit DequantizeLinear(const NodeSpec& node)
      : axis_(node.attr_or("axis", 1)),
        block_size_(node.attr_or("block_size", 0)),
        output_dtype_(dtype_attribute(node, "output_dtype")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    if (has_input(in, 2)) require_same_dtype(in[0], in[2], "x_zero_point");
    check_scales(in, axis_, block_size_);
    const DType dtype = output_dtype_ == DType::kUndefined ? in[1].dtype : output_dtype_;
    require_floating(Fact(dtype, in[0].dims), "y");
    return {Fact(dtype, in[0].dims)};
  }

  bool widens_constants() const override { return true; }
  KernelPtr compile(const CompileInput& in) const override {
    const ScaleLayout layout(in.shape(0), in.shape(1), axis_, block_size_);
    if (KernelPtr kernel = dequantize_from_integers(in, layout)) return kernel;
    return std::make_unique<DequantizeKernel>(in, ScaleReader(in, axis_, block_size_));
  }

 private:
  int64_t axis_, block_size_;
  DType output_dtype_;
};

}  // namespace

LINNET_REGISTER(dequantize_linear)(Registry& registry) {
  registry.add<DequantizeLinear>("DequantizeLinear", {.since = 10});
}

}  // namespace linnet
