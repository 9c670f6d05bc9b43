#include <algorithm>

#include "elements/dispatch.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "quantization/integers.h"
#include "registration.h"

namespace linnet {
namespace {

void round_to_dtype(DType dtype, float* values, int64_t n) {
  if (dtype == DType::kFloat16) std::transform(values, values + n, values, [](float v) { return float(Half(v)); });
  if (dtype == DType::kBFloat16) std::transform(values, values + n, values, [](float v) { return float(BFloat16(v)); });
}

class QuantizeKernel final : public ScaledBlocksKernel {
 public:
  QuantizeKernel(const CompileInput& in, DType precision, const ScaleReader& scales, bool saturate)
      : ScaledBlocksKernel(in, scales,
                           wide_writer(is_integer(in.output_dtype(0)) ? WideKind::kSigned : WideKind::kReal,
                                       in.output_dtype(0), {.saturate = saturate})),
        precision_(precision),
        x_is_integer_(is_integer(in.dtype(0))),
        y_is_integer_(is_integer(in.output_dtype(0))) {
    const int bits = dtype_bits(in.output_dtype(0));
    const bool is_signed = wide_signed(in.output_dtype(0));
    least_ = is_signed ? -float(int64_t{1} << (bits - 1)) : 0.0f;
    greatest_ = float((int64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  }

 private:
  static bool wide_signed(DType dtype) {
    return dtype == DType::kInt2 || dtype == DType::kInt4 || dtype == DType::kInt8 || dtype == DType::kInt16;
  }

  void convert(const ScaleBlock& scales, int64_t n, Wide* block) const override {
    float quotient[kQuantizationBlock];
    for (int64_t i = 0; i < n; ++i) {
      const float x = x_is_integer_ ? float(block[i].i) : float(block[i].d);
      quotient[i] = x / scales.scale[i];
    }
    round_to_dtype(precision_, quotient, n);
    for (int64_t i = 0; i < n; ++i) {
      if (y_is_integer_)
        block[i].i = int64_t(rounded(quotient[i], scales.zero_point[i]));
      else
        block[i].d = quotient[i] + scales.zero_point[i];
    }
  }

  /// Rounds to the nearest integer in range, ties to even. NaN becomes the least one. The bounds are integers, so they
  /// may be applied first; adding 1.5 * 2^23 then leaves no bits for the fraction.
  float rounded(float quotient, float zero_point) const {
    const float least = least_ - zero_point, greatest = greatest_ - zero_point;
    const float bounded = quotient > least ? std::min(quotient, greatest) : least;
    return (bounded + 0x1.8p23f) - 0x1.8p23f + zero_point;
  }

  DType precision_;
  bool x_is_integer_, y_is_integer_;
  float least_, greatest_;
};

/// QuantizeLinear: y = saturate(round(x / y_scale) + y_zero_point), ties to even. For float8, float6 and float4 types,
/// y = x / y_scale rounded to the type. The quotient is rounded to `precision`, by default the scale's dtype. Before
/// opset 23, which introduced that attribute, it is rounded to float32, as in ONNX Runtime and PyTorch.
/// x: float/float16/bfloat16/int32, any shape.
/// y_scale: floats; see ScaleLayout.
/// y_zero_point: y's dtype, the scale's shape; 0 if omitted.
/// y: 2 to 16 bit integers, float8, float6, float4e2m1: the zero point's dtype, else output_dtype, else uint8.
/// Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
class QuantizeLinear final : public Op {
 public:
  explicit QuantizeLinear(const NodeSpec& node)
      : axis_(node.attr_or("axis", 1)),
        block_size_(node.attr_or("block_size", 0)),
        saturate_(node.attr_or("saturate", true)),
        precision_(dtype_attribute(node, "precision")),
        output_dtype_(dtype_attribute(node, "output_dtype")) {
    if (node.opset < 23 && precision_ == DType::kUndefined) precision_ = DType::kFloat32;
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    check_scales(in, axis_, block_size_);
    const DType dtype = has_input(in, 2)                     ? in[2].dtype
                        : output_dtype_ == DType::kUndefined ? DType::kUint8
                                                             : output_dtype_;
    if (output_dtype_ != DType::kUndefined && output_dtype_ != dtype) {
      throw Error(ErrorKind::kType, str("y_zero_point must be of output_dtype ", output_dtype_, ", got ", in[2]));
    }
    const bool integer = is_integer(dtype) && dtype_bits(dtype) <= 16;
    if (!integer && (!is_small_float(dtype) || dtype == DType::kFloat8E8M0)) throw_dtype(dtype);
    return {Fact(dtype, in[0].dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  KernelPtr compile(const CompileInput& in) const override {
    const ScaleLayout layout(in.shape(0), in.shape(1), axis_, block_size_);
    const DType precision = precision_ == DType::kUndefined ? in.dtype(1) : precision_;
    if (KernelPtr kernel = quantize_to_integers(in, layout, precision)) return kernel;
    return std::make_unique<QuantizeKernel>(in, precision, ScaleReader(in, axis_, block_size_), saturate_);
  }

 private:
  int64_t axis_, block_size_;
  bool saturate_;
  DType precision_, output_dtype_;
};

}  // namespace

LINNET_REGISTER(quantize_linear)(Registry& registry) { registry.add<QuantizeLinear>("QuantizeLinear", {.since = 10}); }

}  // namespace linnet
