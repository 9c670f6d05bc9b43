#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "elements/dispatch.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "normalization/softmax_axis.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int64_t kReadWork = 1, kPowerWork = 16;  // The work to read an element and to compute a power.

template <class T>
struct MaxAndSum {
  T max;
  T sum;  ///< The sum of e^(x - max).
};

template <class T>
MaxAndSum<T> max_and_sum_of_powers(const T* x, int64_t n, int64_t stride, Checkpoints& checkpoints) {
  T max = -std::numeric_limits<T>::infinity(), sum = 0;
  checkpoints.in_parts(n, kReadWork, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) max = std::max(max, x[i * stride]);
  });
  checkpoints.in_parts(n, kPowerWork, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) sum += std::exp(x[i * stride] - max);
  });
  return {max, sum};
}

/// Softmax or LogSoftmax of float64 rows. y may be equal to x.
class DoubleRows final : public Kernel {
 public:
  DoubleRows(const Lanes& lanes, bool log, const DoubleFunctions& functions)
      : lanes_(lanes), log_(log), exp_(functions.exp) {}

  void run(KernelContext& context) const override {
    const double* x = context.input(0).data<double>();
    double* y = context.output(0).data<double>();
    parallel_items(context.executor(), lanes_.outer, lanes_.n, [&](int64_t row, int64_t end, int) {
      Checkpoints checkpoints;
      for (; row < end; ++row) compute_row(x + row * lanes_.n, y + row * lanes_.n, checkpoints);
    });
  }
  int in_place(int) const override { return 0; }

 private:
  static constexpr int64_t kBlock = 256;

  void compute_row(const double* x, double* y, Checkpoints& checkpoints) const {
    const int64_t n = lanes_.n;
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    checkpoints.in_parts(n, kReadWork, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) max = std::max(max, x[i]);
    });
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      double powers[kBlock];
      double* const to = log_ ? powers : y + i;
      for (int64_t j = 0; j < count; ++j) to[j] = x[i + j] - max;
      const void* from = to;
      exp_(&from, to, count);
      for (int64_t j = 0; j < count; ++j) sum += to[j];
      checkpoints.add(count * kPowerWork);
    }
    const double log_sum = log_ ? std::log(sum) : 0;
    checkpoints.in_parts(n, kReadWork, [=, log = log_](int64_t i, int64_t end) {
      if (log) {
        for (; i < end; ++i) y[i] = x[i] - max - log_sum;
      } else {
        for (; i < end; ++i) y[i] /= sum;
      }
    });
  }

  Lanes lanes_;
  bool log_;
  NumberFunction exp_;
};

KernelPtr make_double_rows(const Lanes& lanes, bool log, Isa isa) {
  return std::make_unique<DoubleRows>(lanes, log, kernels_for<NumberUnaryKernels>(isa).doubles);
}

/// Softmax: y = e^x / sum of e^x along the axis, computed without overflow.
/// LogSoftmax: the logarithm of that, x - log(sum of e^x).
/// x, y: float16/bfloat16/float/double, rank >= 1.
/// axis: -1; before opset 13: 1, and all dims from it on form a row.
/// Sources: https://onnx.ai/onnx/operators/onnx__Softmax.html, https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
template <bool kLog>
class Softmax final : public SoftmaxAxis {
 public:
  using SoftmaxAxis::SoftmaxAxis;

  KernelPtr compile(const CompileInput& in) const override {
    const Lanes lanes = this->lanes(in.shape(0));
    if (in.dtype(0) == DType::kFloat32) {
      const SoftmaxKernels& kernels = kernels_for<SoftmaxKernels>(in.isa());
      return kLog ? make_softmax_kernel(lanes, kernels.log_rows, kernels.log_columns)
                  : make_softmax_kernel(lanes, kernels.rows, kernels.columns);
    }
    if (lanes.inner == 1) return make_double_rows(lanes, kLog, in.isa());
    return dispatch_float(in.dtype(0), [&]<class T>() {
      return make_lane_kernel<T>(lanes, [](const T* x, T* y, int64_t n, int64_t stride, Checkpoints& checkpoints) {
        const MaxAndSum<T> of = max_and_sum_of_powers(x, n, stride, checkpoints);
        checkpoints.in_parts(n, kPowerWork, [=](int64_t i, int64_t end) {
          for (; i < end; ++i) {
            const T from_max = x[i * stride] - of.max;
            y[i * stride] = kLog ? from_max - std::log(of.sum) : std::exp(from_max) / of.sum;
          }
        });
      });
    });
  }
};

}  // namespace

LINNET_REGISTER(softmax)(Registry& registry) {
  registry.add<Softmax<false>>("Softmax");
  registry.add<Softmax<true>>("LogSoftmax");
}

}  // namespace linnet
