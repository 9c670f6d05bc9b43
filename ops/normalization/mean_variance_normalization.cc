#include <algorithm>
#include <cmath>
#include <functional>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/normalize.h"
#include "normalization/channel_normalization.h"
#include "partition/parallel.h"
#include "reduction/reduce_plan.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
class MeanVarianceKernel final : public Kernel {
 public:
  MeanVarianceKernel(const ReducePlan& plan, const NormalizeKernels& kernels) : plan_(plan), kernels_(kernels) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).template data<T>();
    T* y = context.output(0).template data<T>();
    parallel_items(context.executor(), plan_.outputs(), plan_.count(), [&](int64_t i, int64_t end, int) {
      for (; i < end; ++i) {
        const int64_t first = plan_.kept.offset(i / plan_.columns) + i % plan_.columns;
        plan_.columns == 1 ? normalize_runs(x + first, y + first) : normalize_column(x, y, first);
      }
    });
  }
  int in_place(int) const override { return 0; }

 private:
  static double factor(double variance) {
    constexpr double kEpsilon = 1e-9;  // Is added to the standard deviation.
    return 1 / (std::sqrt(variance) + kEpsilon);
  }

  /// Normalises elements that share a mean and are in runs of `rows` contiguous elements.
  void normalize_runs(const T* x, T* y) const {
    const int64_t runs = plan_.reduced.size();
    double mean = 0, variance = 0, variance_of_means = 0;
    for (int64_t j = 0; j < runs; ++j) {
      const T* run = x + plan_.reduced.offset(j);
      const Moments<T> rounded = moments(kernels_, run, plan_.rows);
      // In float64, the mean of equal elements is exactly equal to them.
      const double own = sum_of(run, plan_.rows, std::identity()) / double(plan_.rows),
                   error = double(rounded.mean) - own;
      const double difference = own - mean;
      mean += difference / double(j + 1);
      variance_of_means += difference * (own - mean);
      variance += std::max(0.0, double(rounded.variance) - error * error);
    }
    const auto by = T(factor((variance + variance_of_means) / double(runs)));
    for (int64_t j = 0; j < runs; ++j) {
      const int64_t at = plan_.reduced.offset(j);
      normalize_channel(kernels_, x + at, y + at, plan_.rows, T(mean), by, T(0));
    }
  }

  /// Calls f with the offset of every element that shares a mean with the one at `first`.
  template <class F>
  void for_each_offset(int64_t first, F f) const {
    for (int64_t j = 0; j < plan_.reduced.size(); ++j) {
      const int64_t part = first + plan_.reduced.offset(j);
      for (int64_t r = 0; r < plan_.rows; ++r) f(part + r * plan_.columns);
    }
  }

  void normalize_column(const T* x, T* y, int64_t first) const {
    double sum = 0, square = 0;
    for_each_offset(first, [&](int64_t i) { sum += double(x[i]); });
    const double mean = sum / double(plan_.count());
    for_each_offset(first, [&](int64_t i) { square += (double(x[i]) - mean) * (double(x[i]) - mean); });
    const double by = factor(square / double(plan_.count()));
    for_each_offset(first, [&](int64_t i) { y[i] = T((double(x[i]) - mean) * by); });
  }

  ReducePlan plan_;
  NormalizeKernels kernels_;
};

/// MeanVarianceNormalization: y = (x - mean) / (standard deviation + 1e-9), both over the axes.
/// x, y: float16/bfloat16/float/double.
/// axes: [0, 2, 3] by default.
/// Source: https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
class MeanVarianceNormalization final : public Op {
 public:
  explicit MeanVarianceNormalization(const NodeSpec& node)
      : axes_(node.attr_or("axes", std::vector<int64_t>{0, 2, 3})) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    if (in[0].has_rank()) flags(in[0].rank());
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const ReducePlan plan = make_reduce_plan(in.shape(0), flags(in.rank(0)));
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<MeanVarianceKernel<T>>(plan, kernels_for<NormalizeKernels>(in.isa()));
    });
  }

 private:
  std::vector<bool> flags(int rank) const {
    std::vector<bool> reduced(size_t(rank), false);
    for (const int64_t axis : axes_) reduced[size_t(normalize_axis(axis, rank))] = true;
    return reduced;
  }

  std::vector<int64_t> axes_;
};

}  // namespace

LINNET_REGISTER(mean_variance_normalization)(Registry& registry) {
  registry.add<MeanVarianceNormalization>("MeanVarianceNormalization", {.since = 9});
}

}  // namespace linnet
