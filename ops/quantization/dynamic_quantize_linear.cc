#include <algorithm>
#include <cmath>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "quantization/requantize.h"

namespace linnet {
namespace {

struct Range {
  float least = 0, greatest = 0;
};

/// The range of the elements and 0.
Range range_of(std::span<const float> x) {
  Range range;
  for (const float value : x) {
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
  return range;
}

class DynamicQuantizeLinearKernel final : public Kernel {
 public:
  explicit DynamicQuantizeLinearKernel(const CompileInput& in)
      : has_scale_(in.has_output(1)), has_zero_(in.has_output(2)) {}

  void run(KernelContext& context) const override {
    const std::span<const float> x = context.input(0).values<float>();
    const Range range = range_of(x);
    const float scale = (range.greatest - range.least) / 255;
    const float quotient = scale > 0 ? std::nearbyint(-range.least / scale) : 0;
    const auto zero = int32_t(quotient > 0 ? std::min(quotient, 255.0f) : 0.0f);
    Tensor& y = context.output(0);
    parallel_items(context.executor(), std::ssize(x), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) store_rounded(y, i, scale > 0 ? double(x[size_t(i)] / scale) : 0, zero);
    });
    if (has_scale_) *context.output(1).data<float>() = scale;
    if (has_zero_) *context.output(2).data<uint8_t>() = uint8_t(zero);
  }

 private:
  bool has_scale_, has_zero_;
};

/// DynamicQuantizeLinear: y = saturate(round(x / y_scale) + y_zero_point), ties to even, with the scale and zero point
/// that map the range of x, extended to include 0, onto [0, 255]. Where all of x is 0, y_scale is 0 and y is 0.
/// x: float.   y: uint8, x's shape.   y_scale: float [].   y_zero_point: uint8 [].
/// Source: https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
class DynamicQuantizeLinear final : public Op {
 public:
  explicit DynamicQuantizeLinear(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kFloat32, "x");
    return {Fact(DType::kUint8, in[0].dims), Fact(DType::kFloat32, Shape{}), Fact(DType::kUint8, Shape{})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<DynamicQuantizeLinearKernel>(in); }
};

}  // namespace

void register_dynamic_quantize_linear(Registry& registry) {
  registry.add<DynamicQuantizeLinear>("DynamicQuantizeLinear", {.since = 11});
}

}  // namespace linnet
