#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "partition/parallel.h"
#include "quantization/dynamic_grid.h"
#include "registration.h"

namespace linnet {
namespace {

class DynamicQuantizeLinearKernel final : public Kernel {
 public:
  explicit DynamicQuantizeLinearKernel(const CompileInput& in)
      : kernels_(kernels_for<QuantizeKernels>(in.isa())), has_scale_(in.has_output(1)), has_zero_(in.has_output(2)) {}

  void run(KernelContext& context) const override {
    const std::span<const float> x = context.input(0).values<float>();
    const FloatRange range = range_of(x, context.executor());
    const DynamicGrid grid(range);
    auto* y = context.output(0).data<uint8_t>();
    parallel_items(context.executor(), std::ssize(x), 1, [&](int64_t begin, int64_t end, int) {
      grid.quantize(kernels_, x.data() + begin, y + begin, end - begin);
    });
    if (has_scale_) *context.output(1).data<float>() = grid.scale;
    if (has_zero_) *context.output(2).data<uint8_t>() = grid.zero;
  }

 private:
  /// The range of the elements and 0.
  FloatRange range_of(std::span<const float> x, Executor& executor) const {
    constexpr int64_t kMostParts = 64;
    const auto size = std::ssize(x);
    const int64_t parts = std::min(kMostParts, ceil_div(size, kChunkElements));
    std::array<FloatRange, kMostParts> ranges;
    executor.parallel_for(parts, [&](int64_t i, int) {
      const Span part = Span{0, size}.part(parts, i);
      kernels_.extend_range(x.data() + part.begin, part.size(), &ranges[size_t(i)]);
    });
    FloatRange all;
    for (int64_t i = 0; i < parts; ++i) {
      all.least = std::min(all.least, ranges[size_t(i)].least);
      all.greatest = std::max(all.greatest, ranges[size_t(i)].greatest);
    }
    return all;
  }

  QuantizeKernels kernels_;
  bool has_scale_, has_zero_;
};

/// DynamicQuantizeLinear: y = saturate(round(x / y_scale) + y_zero_point), ties to even. The scale and zero point map
/// the range of x, extended to include 0, to [0, 255]. If all of x is 0, y_scale is 1 (as in ONNX Runtime; the
/// specification does not define it) and y is 0.
/// x: float.
/// y: uint8, x's shape.
/// y_scale: float [].
/// y_zero_point: uint8 [].
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

LINNET_REGISTER(dynamic_quantize_linear)(Registry& registry) {
  registry.add<DynamicQuantizeLinear>("DynamicQuantizeLinear", {.since = 11});
}

}  // namespace linnet
