#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/reduce.h"
#include "normalization/softmax_axis.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int64_t kLpReadWork = 2;  // of an element

/// One lane, its sum in double.
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

/// float32 by kernels. Lanes whose sum leaves the range in which float32 is exact are computed in double.
class FloatLanes final : public Kernel {
 public:
  FloatLanes(const Lanes& lanes, bool squares, Isa isa)
      : lanes_(lanes),
        squares_(squares),
        sum_(squares ? kernels_for<ReduceKernels>(isa).sum_square : kernels_for<ReduceKernels>(isa).sum_abs),
        divide_(kernels_for<BinaryKernels>(isa).div) {}

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
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

  void run_row(const float* x, float* y) const {
    const float sum = sum_.row(x, lanes_.n);
    if (!in_range(sum)) {
      Checkpoints checkpoints;
      return normalize_lane(x, y, lanes_.n, 1, squares_, checkpoints);
    }
    const float norm = norm_of(sum);
    divide_.vector_scalar(x, &norm, y, lanes_.n);
  }

  void run_columns(const float* x, float* y, int64_t columns) const {
    float norm[kColumns];
    sum_.columns(x, norm, lanes_.n, lanes_.inner, columns);
    if (!std::all_of(norm, norm + columns, in_range)) {
      Checkpoints checkpoints;
      for (int64_t c = 0; c < columns; ++c) normalize_lane(x + c, y + c, lanes_.n, lanes_.inner, squares_, checkpoints);
      return;
    }
    for (int64_t c = 0; c < columns; ++c) norm[c] = norm_of(norm[c]);
    for (int64_t i = 0; i < lanes_.n; ++i) {
      divide_.vector_vector(x + i * lanes_.inner, norm, y + i * lanes_.inner, columns);
    }
  }

  static bool in_range(float sum) { return sum > 1e-20f && sum < 1e30f; }
  float norm_of(float sum) const { return squares_ ? std::sqrt(sum) : sum; }

  Lanes lanes_;
  bool squares_;
  ReduceKernels::Pair sum_;
  BinaryForms divide_;
};

/// LpNormalization: y = x / (sum of |x|^p along the axis)^(1/p); 0 where that norm is 0.
/// x, y: float16/bfloat16/float/double, rank >= 1.   axis: -1.   p: 2, or 1.
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
    if (in.dtype(0) == DType::kFloat32 && x[axis] > 0) {
      return std::make_unique<FloatLanes>(lanes, p_ == 2, in.isa());
    }
    return dispatch_float(in.dtype(0), [&]<class T>() {
      return make_lane_kernel<T>(
          lanes, [squares = p_ == 2](const T* from, T* to, int64_t n, int64_t stride, Checkpoints& checkpoints) {
            normalize_lane(from, to, n, stride, squares, checkpoints);
          });
    });
  }

 private:
  int64_t axis_;
  int64_t p_;
};

}  // namespace

LINNET_REGISTER(lp_normalization)(Registry& registry) { registry.add<LpNormalization>("LpNormalization"); }

}  // namespace linnet
