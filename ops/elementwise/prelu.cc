#include "elements/wrapping_arithmetic.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "registration.h"

namespace linnet {
namespace {

/// PRelu: y = x < 0 ? slope * x : x, element-wise.
/// - x, y: numbers of one dtype, any shape
/// - slope: broadcast to x; before opset 7, one value, or one per channel (dim 1)
/// Source: https://onnx.ai/onnx/operators/onnx__PRelu.html
class PRelu final : public Op, public AlignsOperands {
 public:
  explicit PRelu(const NodeSpec& node) : per_channel_(node.opset < 7) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_same_dtype(in[0], in[1], "slope");
    if (in[0].concrete() && in[1].concrete()) check_slope(in[0].shape(), slope_shape(in[0].shape(), in[1].shape()));
    return same_as(in[0]);
  }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override {
    const Fact &x = in[0], &slope = in[1];
    if (!x.has_rank() || !slope.concrete()) return std::nullopt;
    if (!per_channel_ || slope.rank() != 1) return slope.dims;
    Dims dims = *slope.dims;
    if (dims[0].value() != 1 && x.rank() > 2) dims.resize(size_t(x.rank() - 1), Dim(1));
    return dims;
  }

  bool is_elementwise() const override { return !per_channel_; }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, {{0, in.shape(0)}, {1, slope_shape(in.shape(0), in.shape(1))}}, loop(in));
  }

 private:
  Shape slope_shape(const Shape& x, const Shape& slope) const {
    if (slope.elements() == 1) return Shape{};
    if (!per_channel_ || slope.rank() != 1 || x.rank() < 2) return slope;
    Shape shape{slope[0]};
    for (int d = 2; d < x.rank(); ++d) shape.push_back(1);
    return shape;
  }

  static void check_slope(const Shape& x, const Shape& slope) {
    bool fits = slope.rank() <= x.rank();
    for (int d = 1; fits && d <= slope.rank(); ++d) {
      const int64_t extent = slope[slope.rank() - d];
      fits = extent == 1 || extent == x[x.rank() - d];
    }
    if (!fits) throw Error(ErrorKind::kShape, str("slope must broadcast to x ", x, ", got ", slope));
  }

  static InnerLoop loop(const CompileInput& in) {
    if (has_float_kernel(in.dtype(0))) return kernel_loop(in.dtype(0), kernels_for<BinaryKernels>(in.isa()).prelu);
    return dispatch_double_or_integer(in.dtype(0), []<class T>() {
      return binary_loop<T>([](T x, T slope) { return x < 0 ? wrapping_mul(x, slope) : x; });
    });
  }

  bool per_channel_;
};

}  // namespace

LINNET_REGISTER(prelu)(Registry& registry) { registry.add<PRelu>("PRelu"); }

}  // namespace linnet
