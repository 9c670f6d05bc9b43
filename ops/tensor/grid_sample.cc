#include <array>
#include <cmath>
#include <complex>

#include "infer/infer.h"
#include "kernels/kernel_table.h"
#include "math/numbers.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "tensor/saturate.h"

namespace linnet {
namespace {

enum class Filter { kNearest, kLinear, kCubic };
enum class Padding { kZeros, kBorder, kReflection };

struct GridSettings {
  Filter filter;
  Padding padding;
  bool align_corners;
};

/// The input positions, with weights, that a coordinate of one axis is made of; a position of -1 is zero.
struct AxisTaps {
  int count = 0;
  std::array<int64_t, 4> position{};
  std::array<double, 4> weight{};
};

/// x mirrored at both ends until it lies in [low, high].
double reflect(double x, double low, double high) {
  const double extent = high - low;
  if (!(extent > 0)) return low;
  const double distance = std::fmod(std::abs(x - low), 2 * extent);
  return low + (distance <= extent ? distance : 2 * extent - distance);
}

double cubic_weight(double distance) {
  constexpr double a = -0.75;
  const double d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

AxisTaps taps_at(const GridSettings& s, double grid, int64_t length) {
  const auto last = double(length - 1);
  const double low = s.align_corners ? 0 : -0.5, high = s.align_corners ? last : last + 0.5;
  double x = s.align_corners ? (grid + 1) / 2 * last : ((grid + 1) * double(length) - 1) / 2;
  if (!std::isfinite(x)) x = -100;  // as PyTorch does
  if (s.filter == Filter::kNearest) x = std::nearbyint(x);
  if (s.padding == Padding::kBorder) x = std::min(std::max(x, 0.0), last);
  if (s.padding == Padding::kReflection && (x < low || x > high)) x = reflect(x, low, high);
  const double base = std::floor(x);
  const auto add = [&](AxisTaps& taps, double at, double weight) {
    if (s.padding == Padding::kReflection) at = std::trunc(at < low || at > high ? reflect(at, low, high) : at);
    if (s.padding != Padding::kZeros) at = std::min(std::max(at, 0.0), last);
    const auto i = size_t(taps.count++);
    taps.position[i] = at >= 0 && at <= last ? int64_t(at) : -1;
    taps.weight[i] = weight;
  };
  AxisTaps taps;
  if (s.filter == Filter::kNearest) add(taps, base, 1);
  if (s.filter == Filter::kLinear) {
    for (const double at : {base, base + 1}) add(taps, at, 1 - std::abs(x - at));
  }
  if (s.filter == Filter::kCubic) {
    for (const double at : {base - 1, base, base + 1, base + 2}) add(taps, at, cubic_weight(x - at));
  }
  return taps;
}

/// A sum of weighted elements, which are added in double.
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

/// The one element that nearest neighbours add, or a zero, for elements of any type.
template <class T>
class OneElement {
 public:
  void add(double, const T& x) { value_ = x; }
  const T& value() const { return value_; }

 private:
  T value_{};
};

using ReadReal = double (*)(const void* data, int64_t i);

ReadReal read_real_of(DType dtype) {
  return dispatch_float(dtype, []<class T>() -> ReadReal {
    return [](const void* data, int64_t i) { return double(static_cast<const T*>(data)[i]); };
  });
}

/// The taps of three axes, missing outer ones of extent 1, for point `item` of a grid, which counts axes from the
/// innermost on.
using PointTaps = std::array<AxisTaps, 3>;

PointTaps taps_of_point(const GridSettings& s, const Shape& x, ReadReal read, const void* grid, int64_t item) {
  PointTaps taps;
  for (AxisTaps& axis : taps) axis = {.count = 1, .position = {0}, .weight = {1}};
  const int64_t axes = x.rank() - 2;
  const int64_t first = checked_mul(item, axes);
  for (int64_t d = 0; d < axes; ++d) {
    taps[size_t(2 - d)] = taps_at(s, read(grid, first + d), x[x.rank() - 1 - int(d)]);
  }
  return taps;
}

/// Calls f(position of each axis, weight) for all taps of a point.
template <class F>
void for_taps(const PointTaps& taps, const F& f) {
  for (size_t i = 0; i < size_t(taps[0].count); ++i) {
    for (size_t j = 0; j < size_t(taps[1].count); ++j) {
      for (size_t k = 0; k < size_t(taps[2].count); ++k) {
        f(taps[0].position[i], taps[1].position[j], taps[2].position[k],
          taps[0].weight[i] * taps[1].weight[j] * taps[2].weight[k]);
      }
    }
  }
}

/// Linear and cubic samples of float32: the taps of a block of points are found once, for all channels.
class GridBlendKernel final : public Kernel {
 public:
  GridBlendKernel(const GridSettings& settings, const CompileInput& in)
      : s_(settings),
        x_(in.shape(0)),
        y_(in.output_shape(0)),
        read_(read_real_of(in.dtype(1))),
        kernels_(kernel_table(in.isa()).sample),
        taps_(int64_t{1} << (s_.filter == Filter::kCubic ? 2 : 1) * (x_.rank() - 2)) {}

  /// Whether offsets in an image fit into 32 bits.
  static bool takes(const Shape& x) { return x.elements(2, x.rank()) < (int64_t{1} << 31); }

  void run(KernelContext& context) const override {
    const int64_t pixels = y_.elements(2, y_.rank()), blocks = ceil_div(pixels, kBlock);
    parallel_items(context.executor(), y_[0] * blocks, kBlock * y_[1] * taps_, [&](int64_t b, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; b < end; ++b) blend(context, b / blocks, b % blocks * kBlock, context.scratch(worker), checkpoints);
    });
  }

  size_t scratch_bytes() const override {
    return size_t(checked_mul(checked_mul(taps_, kBlock), sizeof(int32_t) + sizeof(float)));
  }

 private:
  static constexpr int64_t kBlock = kMostGridPoints;

  void blend(KernelContext& context, int64_t n, int64_t first, std::byte* scratch, Checkpoints& checkpoints) const {
    auto* offsets = reinterpret_cast<int32_t*>(scratch);
    auto* weights = reinterpret_cast<float*>(offsets + taps_ * kBlock);
    const int64_t pixels = y_.elements(2, y_.rank()), plane = x_.elements(2, x_.rank());
    const int64_t count = std::min(kBlock, pixels - first);
    tabulate(context.input(1), n * pixels + first, count, offsets, weights);
    const float* x = context.input(0).data<float>() + n * x_[1] * plane;
    float* y = context.output(0).data<float>() + n * x_[1] * pixels + first;
    for (int64_t c = 0; c < x_[1]; ++c) {
      kernels_.weighted(x + c * plane, offsets, weights, taps_, kBlock, count, y + c * pixels);
      checkpoints.add(taps_ * count);
    }
  }

  /// The taps of points, kBlock elements from one of a point to its next.
  void tabulate(const Tensor& grid, int64_t first, int64_t count, int32_t* offsets, float* weights) const {
    const bool linear = s_.filter == Filter::kLinear && s_.padding != Padding::kReflection;
    if (!linear || grid.dtype() != DType::kFloat32) {
      for (int64_t i = 0; i < count; ++i) {
        tabulate(taps_of_point(s_, x_, read_, grid.raw(), first + i), offsets + i, weights + i);
      }
      return;
    }
    const int axes = x_.rank() - 2;
    GridAxis image[3];
    for (int d = 0; d < axes; ++d) image[d] = {x_[d + 2], s_.align_corners, s_.padding == Padding::kBorder};
    kernels_.linear_taps(grid.data<float>() + first * axes, image, axes, count, kBlock, offsets, weights);
  }
  void tabulate(const PointTaps& taps, int32_t* offsets, float* weights) const {
    const int64_t width = x_[x_.rank() - 1], height = x_[x_.rank() - 2];
    for_taps(taps, [&](int64_t z, int64_t r, int64_t q, double weight) {
      *offsets = z < 0 || r < 0 || q < 0 ? -1 : int32_t((z * height + r) * width + q);
      *weights = float(weight);
      offsets += kBlock;
      weights += kBlock;
    });
  }

  GridSettings s_;
  Shape x_, y_;
  ReadReal read_;
  SampleKernels kernels_;
  int64_t taps_;
};

/// Sum: WeightedSum<T> or OneElement<T>.
template <class T, class Sum>
class GridSampleKernel final : public Kernel {
 public:
  GridSampleKernel(const GridSettings& settings, const CompileInput& in)
      : s_(settings), x_(in.shape(0)), y_(in.output_shape(0)), read_(read_real_of(in.dtype(1))) {}

  void run(KernelContext& context) const override {
    const int64_t axes = x_.rank() - 2, pixels = y_.elements(2, y_.rank());
    const void* grid = context.input(1).raw();
    parallel_items(context.executor(), y_[0] * pixels, y_[1] << 2 * axes, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        sample(context, item / pixels, item % pixels, pixels, taps_of_point(s_, x_, read_, grid, item));
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

  GridSettings s_;
  Shape x_, y_;
  ReadReal read_;
};

/// GridSample: Y[n,c,p] is X[n,c] sampled at grid[n,p], whose coordinates (x, y[, z]) run from -1 to 1 over X.
/// X: [N,C,H,W] or [N,C,D,H,W], grid: [N,spatial...,2 or 3] of float types. mode: linear, nearest or cubic; beyond X
/// lie zeros, the border or reflections. X: any dtype of a byte or more, but numbers where mode is not nearest; results
/// are cast to integers at the end, which cuts off their fractions.
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
      if (in[0].dim(d) == Dim(0)) throw Error(ErrorKind::kShape, str("cannot sample an empty image, got ", in[0]));
    }
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    if (s_.filter == Filter::kNearest) {
      return dispatch_width(dtype, [&]<class T>() { return make<T, OneElement<T>>(in); });
    }
    if (dtype == DType::kComplex64) return make<std::complex<float>, WeightedSum<std::complex<float>>>(in);
    if (dtype == DType::kComplex128) return make<std::complex<double>, WeightedSum<std::complex<double>>>(in);
    if (dtype == DType::kFloat32 && GridBlendKernel::takes(in.shape(0))) {
      return std::make_unique<GridBlendKernel>(s_, in);
    }
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

void register_grid_sample(Registry& registry) { registry.add<GridSample>("GridSample", {.since = 16}); }

}  // namespace linnet
