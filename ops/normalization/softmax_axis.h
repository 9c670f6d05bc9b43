#pragma once

#include "infer/infer.h"
#include "kernels/softmax.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {

/// The lanes of a tensor along an axis: value i of lane (o, c) is at (o * n + i) * inner + c.
struct Lanes {
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;
};

/// The common part of Softmax, LogSoftmax and Hardmax: the axis. Before opset 13, the input counts as a matrix whose
/// rows consist of the dims from the axis on.
class SoftmaxAxis : public Op {
 public:
  explicit SoftmaxAxis(const NodeSpec& node)
      : matrix_(node.opset < 13), axis_(node.attr_or("axis", matrix_ ? 1 : -1)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    if (in[0].has_rank()) normalize_axis(axis_, in[0].rank());
    return same_as(in[0]);
  }

 protected:
  Lanes lanes(const Shape& shape) const {
    const int axis = normalize_axis(axis_, shape.rank());
    if (matrix_) return {shape.elements(0, axis), shape.elements(axis, shape.rank()), 1};
    return {shape.elements(0, axis), shape[axis], shape.elements(axis + 1, shape.rank())};
  }

 private:
  bool matrix_;
  int64_t axis_;
};

/// Calls f(x, y, n, stride) for every lane, which reads its values at x[i * stride] and writes y[i * stride]. The
/// output may be in place: f must not write an element before its last read of the input's.
template <class T, class F>
class LaneKernel final : public Kernel {
 public:
  LaneKernel(const Lanes& lanes, F f) : lanes_(lanes), f_(f) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    parallel_items(context.executor(), lanes_.outer * lanes_.inner, lanes_.n, [&](int64_t lane, int64_t end, int) {
      Checkpoints checkpoints;
      for (; lane < end; ++lane) {
        const int64_t first = lane / lanes_.inner * lanes_.n * lanes_.inner + lane % lanes_.inner;
        f_(x + first, y + first, lanes_.n, lanes_.inner, checkpoints);
      }
    });
  }
  int in_place(int) const override { return 0; }

 private:
  Lanes lanes_;
  F f_;
};

template <class T, class F>
KernelPtr make_lane_kernel(const Lanes& lanes, F f) {
  return std::make_unique<LaneKernel<T, F>>(lanes, f);
}

/// Returns a kernel for float32: contiguous lanes use `rows`, others `columns`.
KernelPtr make_softmax_kernel(const Lanes& lanes, SoftmaxKernels::Rows rows, SoftmaxKernels::Columns columns);

}  // namespace linnet
