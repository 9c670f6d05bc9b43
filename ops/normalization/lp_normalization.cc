#include <algorithm>
#include <array>
#include <cmath>

#include "elements/dispatch.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/number_reduce.h"
#include "kernels/numbers.h"
#include "kernels/reduce.h"
#include "normalization/softmax_axis.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int64_t kLpReadWork = 2;  // The work to read an element.

/// Normalises one lane. The sum is computed in float64.
template <class T>
void normalize_lane(const T* from, T* to, int64_t n, int64_t stride, bool squares, Checkpoints& checkpoints) {
  double sum = 0;
  checkpoints.in_parts(n, kLpReadWork, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const double v = double(from[i * stride]);
      sum += squares ? v * v : std::abs(v);
    }
  });
  const double norm = squares ? std::sqrt(sum) : sum;
  checkpoints.in_parts(n, kLpReadWork, [=](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const double v = double(from[i * stride]);
      to[i * stride] = T(norm == 0 ? 0 : v / norm);
    }
  });
}

/// The sums of |x| or x^2 in T, and quotients. Float32 sums outside in_range() are recomputed in float64. A norm of 0
/// gives 0.
template <class T>
class LpKernels;

template <>
class LpKernels<float> {
 public:
  LpKernels(bool squares, Isa isa)
      : sum_(squares ? kernels_for<ReduceKernels>(isa).sum_square : kernels_for<ReduceKernels>(isa).sum_abs),
        divide_(kernels_for<BinaryKernels>(isa).div) {}

  float row_sum(const float* x, int64_t n) const { return sum_.row(x, n); }
  void column_sums(const float* x, int64_t n, int64_t pitch, int64_t columns, float* sums) const {
    sum_.columns(x, sums, n, pitch, columns);
  }
  void divide(const float* x, const float* by, float* y, int64_t n) const { divide_.vector_vector(x, by, y, n); }
  void divide_by_one(const float* x, float by, float* y, int64_t n) const { divide_.vector_scalar(x, &by, y, n); }

  static bool in_range(float sum) { return sum > 1e-20f && sum < 1e30f; }

 private:
  ReduceKernels::Pair sum_;
  BinaryForms divide_;
};

template <>
class LpKernels<double> {
 public:
  LpKernels(bool squares, Isa isa)
      : sum_(squares ? kernels_for<NumberReduceKernels>(isa).sums_f64.sum_square
                     : kernels_for<NumberReduceKernels>(isa).sums_f64.sum_abs),
        divide_(kernels_for<NumberKernels>(isa).div_f64) {}

  double row_sum(const double* x, int64_t n) const {
    double sum = 0;
    sum_.row(x, n, &sum);
    return sum;
  }
  void column_sums(const double* x, int64_t n, int64_t pitch, int64_t columns, double* sums) const {
    std::fill_n(sums, columns, 0.0);
    sum_.columns(x, n, pitch, columns, sums);
  }
  void divide(const double* x, const double* by, double* y, int64_t n) const {
    const void* const operands[] = {x, by};
    divide_(operands, y, n);
  }
  void divide_by_one(const double* x, double by, double* y, int64_t n) const {
    std::array<double, 256> repeated;
    repeated.fill(by);
    for (int64_t i = 0; i < n; i += std::ssize(repeated)) {
      divide(x + i, repeated.data(), y + i, std::min(std::ssize(repeated), n - i));
    }
  }

  static bool in_range(double sum) { return sum != 0; }

 private:
  NumberReduction sum_;
  NumberFunction divide_;
};

/// Normalises rows or columns by SIMD kernels.
template <class T>
class LpLanes final : public Kernel {
 public:
  LpLanes(const Lanes& lanes, bool squares, Isa isa) : lanes_(lanes), squares_(squares), kernels_(squares, isa) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    if (lanes_.n == 0) return;
    const int64_t columns = std::min(kColumns, lanes_.inner), blocks = ceil_div(lanes_.inner, kColumns);
    parallel_items(context.executor(), lanes_.outer * blocks, lanes_.n * columns, [&](int64_t item, int64_t end, int) {
      for (; item < end; ++item) {
        const int64_t column = item % blocks * kColumns;
        const int64_t first = item / blocks * lanes_.n * lanes_.inner + column;
        lanes_.inner == 1 ? run_row(x + first, y + first)
                          : run_columns(x + first, y + first, std::min(kColumns, lanes_.inner - column));
      }
    });
  }
  int in_place(int) const override { return 0; }

 private:
  static constexpr int64_t kColumns = 512;

  void run_row(const T* x, T* y) const {
    const T sum = kernels_.row_sum(x, lanes_.n);
    if (!kernels_.in_range(sum)) {
      Checkpoints checkpoints;
      return normalize_lane(x, y, lanes_.n, 1, squares_, checkpoints);
    }
    kernels_.divide_by_one(x, norm_of(sum), y, lanes_.n);
  }

  void run_columns(const T* x, T* y, int64_t columns) const {
    T norm[kColumns];
    kernels_.column_sums(x, lanes_.n, lanes_.inner, columns, norm);
    if (!std::all_of(norm, norm + columns, kernels_.in_range)) {
      Checkpoints checkpoints;
      for (int64_t c = 0; c < columns; ++c) normalize_lane(x + c, y + c, lanes_.n, lanes_.inner, squares_, checkpoints);
      return;
    }
    for (int64_t c = 0; c < columns; ++c) norm[c] = norm_of(norm[c]);
    for (int64_t i = 0; i < lanes_.n; ++i) {
      kernels_.divide(x + i * lanes_.inner, norm, y + i * lanes_.inner, columns);
    }
  }

  T norm_of(T sum) const { return squares_ ? std::sqrt(sum) : sum; }

  Lanes lanes_;
  bool squares_;
  LpKernels<T> kernels_;
};

/// LpNormalization: y = x / (sum of |x|^p along the axis)^(1/p); 0 if that norm is 0.
/// x, y: float16/bfloat16/float/double, rank >= 1.
/// axis: -1.
/// p: 2 (default) or 1.
/// Source: https://onnx.ai/onnx/operators/onnx__LpNormalization.html
class LpNormalization final : public Op {
 public:
  explicit LpNormalization(const NodeSpec& node) : axis_(node.attr_or("axis", -1)), p_(node.attr_or("p", 2)) {
    if (p_ != 1 && p_ != 2) throw Error(ErrorKind::kModel, str("p must be 1 or 2, got ", p_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    if (in[0].has_rank()) normalize_axis(axis_, in[0].rank());
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    const Lanes lanes{x.elements(0, axis), x[axis], x.elements(axis + 1, x.rank())};
    return dispatch_float(
        in.dtype(0), [&]<class T>() -> KernelPtr { return std::make_unique<LpLanes<T>>(lanes, p_ == 2, in.isa()); });
  }

 private:
  int64_t axis_;
  int64_t p_;
};

}  // namespace

LINNET_REGISTER(lp_normalization)(Registry& registry) { registry.add<LpNormalization>("LpNormalization"); }

}  // namespace linnet
