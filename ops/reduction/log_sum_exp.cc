#include <cmath>
#include <limits>

#include "elements/dispatch.h"
#include "elements/to_integer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "reduction/make_reduction.h"

namespace linnet {
namespace {

/// Computes max + log(sum of e^(v - max)) in one pass. The total is rescaled when the maximum grows.
struct LogSum {
  double max = -std::numeric_limits<double>::infinity();
  double total = 0;

  void add(double v) {
    if (v == max) {
      total += std::isinf(v) && v < 0 ? 0 : 1;
    } else if (v > max) {
      total = total * std::exp(max - v) + 1;
      max = v;
    } else {
      total += std::exp(v - max);
    }
  }
  double result() const { return max + std::log(total); }
};

template <class T>
class LogSumExpKernel final : public Kernel {
 public:
  explicit LogSumExpKernel(const ReducePlan& plan) : plan_(plan) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    parallel_items(context.executor(), plan_.outputs(), plan_.count(), [&](int64_t begin, int64_t end, int) {
      Checkpoints checkpoints;
      for (int64_t i = begin; i < end; ++i) {
        y[i] = to_number<T>(reduced(x + plan_.kept.offset(i / plan_.columns) + i % plan_.columns, checkpoints));
      }
    });
  }

 private:
  static constexpr int64_t kPowerWork = 16;

  double reduced(const T* x, Checkpoints& checkpoints) const {
    LogSum sum;
    for (int64_t j = 0; j < plan_.reduced.size(); ++j) {
      const T* part = x + plan_.reduced.offset(j);
      checkpoints.in_parts(plan_.rows, kPowerWork, [&](int64_t r, int64_t end) {
        for (; r < end; ++r) sum.add(static_cast<double>(part[r * plan_.columns]));
      });
    }
    return sum.result();
  }

  ReducePlan plan_;
};

}  // namespace

KernelPtr make_log_sum_exp(const ReducePlan& plan, DType dtype) {
  return dispatch_number(dtype, [&]<class T>() -> KernelPtr { return std::make_unique<LogSumExpKernel<T>>(plan); });
}

}  // namespace linnet
