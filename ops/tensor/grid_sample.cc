#include <array>
#include <cmath>
#include <complex>

#include "infer/infer.h"
#include "math/numbers.h"
#include "op_list.h"
#include "partition/parallel.h"
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
      for (; item < end; ++item) {
        // Three axes, missing outer ones of extent 1; the grid counts them from the innermost on.
        std::array<AxisTaps, 3> taps;
        for (AxisTaps& axis : taps) axis = {.count = 1, .position = {0}, .weight = {1}};
        for (int64_t d = 0; d < axes; ++d) {
          taps[size_t(2 - d)] = taps_at(s_, read_(grid, item * axes + d), x_[x_.rank() - 1 - int(d)]);
        }
        sample(context, item / pixels, item % pixels, pixels, taps);
      }
    });
  }

 private:
  void sample(KernelContext& context, int64_t n, int64_t pixel, int64_t pixels,
              const std::array<AxisTaps, 3>& taps) const {
    const int64_t width = x_[x_.rank() - 1], height = x_[x_.rank() - 2], plane = x_.elements(2, x_.rank());
    for (int64_t c = 0; c < x_[1]; ++c) {
      const T* x = static_cast<const T*>(context.input(0).raw()) + (n * x_[1] + c) * plane;
      Sum sum;
      for (int i = 0; i < taps[0].count; ++i) {
        for (int j = 0; j < taps[1].count; ++j) {
          for (int k = 0; k < taps[2].count; ++k) {
            const int64_t z = taps[0].position[size_t(i)], r = taps[1].position[size_t(j)],
                          q = taps[2].position[size_t(k)];
            if (z < 0 || r < 0 || q < 0) continue;
            const double weight = taps[0].weight[size_t(i)] * taps[1].weight[size_t(j)] * taps[2].weight[size_t(k)];
            sum.add(weight, x[(z * height + r) * width + q]);
          }
        }
      }
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
