#include <complex>

#include "elements/saturate.h"
#include "elements/wrapping_arithmetic.h"
#include "grid/grid_kernels.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

using Filter = GridSettings::Filter;
using Padding = GridSettings::Padding;

/// A sum of weighted elements, accumulated in double.
template <class T>
class WeightedSum {
 public:
  void add(double weight, const T& x) { sum_ += weight * Sum(x); }
  T value() const {
    if constexpr (std::is_integral_v<T>) return saturate<T>(std::trunc(sum_));
    return saturate<T>(sum_);
  }

 private:
  using Sum = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
  Sum sum_{};
};

/// The only element that a nearest neighbour adds, or zero, for elements of any type.
template <class T>
class OneElement {
 public:
  void add(double, const T& x) { value_ = x; }
  const T& value() const { return value_; }

 private:
  T value_{};
};

/// `Sum` is WeightedSum<T> or OneElement<T>.
template <class T, class Sum>
class GridSampleKernel final : public Kernel {
 public:
  GridSampleKernel(const GridSettings& settings, const CompileInput& in)
      : x_(in.shape(0)), y_(in.output_shape(0)), points_(settings, x_, in.dtype(1)) {}

  void run(KernelContext& context) const override {
    const int64_t axes = x_.rank() - 2, pixels = y_.elements(2, y_.rank());
    const void* grid = context.input(1).raw();
    parallel_items(context.executor(), y_[0] * pixels, y_[1] << 2 * axes, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        sample(context, item / pixels, item % pixels, pixels, points_.taps(grid, item));
        checkpoints.add(y_[1] << 2 * axes);
      }
    });
  }

 private:
  void sample(KernelContext& context, int64_t n, int64_t pixel, int64_t pixels, const PointTaps& taps) const {
    const int64_t width = x_[x_.rank() - 1], height = x_[x_.rank() - 2], plane = x_.elements(2, x_.rank());
    for (int64_t c = 0; c < x_[1]; ++c) {
      const T* x = static_cast<const T*>(context.input(0).raw()) + (n * x_[1] + c) * plane;
      Sum sum;
      for_taps(taps, [&](int64_t z, int64_t r, int64_t q, double weight) {
        if (z >= 0 && r >= 0 && q >= 0) sum.add(weight, x[(z * height + r) * width + q]);
      });
      static_cast<T*>(context.output(0).raw())[(n * x_[1] + c) * pixels + pixel] = sum.value();
    }
  }

  Shape x_, y_;
  GridPoints points_;
};

/// GridSample: Y[n,c,p] is X[n,c] sampled at grid[n,p], whose coordinates (x, y[, z]) run from -1 to 1 over X.
/// - X: [N,C,H,W] or [N,C,D,H,W], any dtype of a byte or more, but numbers unless mode is nearest
/// - grid: [N,spatial...,2 or 3] of float types
/// - mode: linear, nearest or cubic
/// - padding_mode: beyond X are zeros, the border or reflections; cubic moves each of its taps there, not the point, as
///   PyTorch does
/// For integers, results are converted at the end, which truncates them.
/// Source: https://onnx.ai/onnx/operators/onnx__GridSample.html
class GridSample final : public Op {
 public:
  explicit GridSample(const NodeSpec& node)
      : s_{read_filter(node.attr_or("mode", "linear")), read_padding(node.attr_or("padding_mode", "zeros")),
           node.attr_or("align_corners", false)} {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_floating(in[1], "grid");
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    const int rank = in[0].rank();
    if (rank != 4 && rank != 5) throw Error(ErrorKind::kShape, str("X must have rank 4 or 5, got ", in[0]));
    require_rank(in[1], rank, "grid");
    merge_dim(in[1].dim(rank - 1), rank - 2, "the last dim of grid and the spatial axes of X");
    Dims dims{merge_dim(in[0].dim(0), in[1].dim(0), "the batch of X and grid"), in[0].dim(1)};
    for (int d = 1; d < rank - 1; ++d) dims.push_back(in[1].dim(d));
    for (int d = 2; d < rank; ++d) {
      if (certainly_equal(in[0].dim(d), 0))
        throw Error(ErrorKind::kShape, str("cannot sample an empty image, got ", in[0]));
    }
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    if (s_.filter == Filter::kNearest) {
      if (GridTable::takes(in.shape(0))) return make_grid_pick(s_, in);
      return dispatch_width(dtype, [&]<class T>() { return make<T, OneElement<T>>(in); });
    }
    if (dtype == DType::kComplex64) return make<std::complex<float>, WeightedSum<std::complex<float>>>(in);
    if (dtype == DType::kComplex128) return make<std::complex<double>, WeightedSum<std::complex<double>>>(in);
    if (dtype == DType::kFloat32 && GridTable::takes(in.shape(0))) return make_grid_blend(s_, in);
    if (dtype == DType::kFloat32) return make<float, WeightedSum<float>>(in);
    return dispatch_double_or_integer(dtype, [&]<class T>() { return make<T, WeightedSum<T>>(in); });
  }

 private:
  template <class T, class Sum>
  KernelPtr make(const CompileInput& in) const {
    return std::make_unique<GridSampleKernel<T, Sum>>(s_, in);
  }

  static Filter read_filter(const std::string& name) {
    if (name == "linear" || name == "bilinear") return Filter::kLinear;
    if (name == "cubic" || name == "bicubic") return Filter::kCubic;
    if (name == "nearest") return Filter::kNearest;
    throw Error(ErrorKind::kModel, str("mode must be linear, nearest or cubic, got ", name));
  }
  static Padding read_padding(const std::string& name) {
    if (name == "zeros") return Padding::kZeros;
    if (name == "border") return Padding::kBorder;
    if (name == "reflection") return Padding::kReflection;
    throw Error(ErrorKind::kModel, str("padding_mode must be zeros, border or reflection, got ", name));
  }

  GridSettings s_;
};

}  // namespace

LINNET_REGISTER(grid_sample)(Registry& registry) { registry.add<GridSample>("GridSample", {.since = 16}); }

}  // namespace linnet
