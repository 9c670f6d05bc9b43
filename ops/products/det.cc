#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "products/determinant.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
class DetKernel final : public Kernel {
 public:
  explicit DetKernel(const CompileInput& in) : n_(in.shape(0)[in.shape(0).rank() - 1]), determinant_(n_, in.isa()) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    const int64_t elements = n_ * n_;
    parallel_items(context.executor(), context.output(0).size(), elements * n_,
                   [&](int64_t i, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     for (; i < end; ++i) {
                       y[i] = T(determinant_of(x + i * elements, context.scratch(worker), checkpoints));
                     }
                   });
  }
  size_t scratch_bytes() const override { return determinant_.scratch_bytes(); }

 private:
  /// Of a matrix with infinities, takes the transpose, which has the same determinant if it has one: whether infinities
  /// become NaN depends on the order of elimination, and references eliminate columns.
  double determinant_of(const T* x, std::byte* scratch, Checkpoints& checkpoints) const {
    copy(x, n_, 1, reinterpret_cast<double*>(scratch), checkpoints);
    const double result = determinant_.get(scratch, checkpoints);
    if ((result != 0 && std::isfinite(result)) || finite(x, checkpoints)) return result;
    copy(x, 1, n_, reinterpret_cast<double*>(scratch), checkpoints);
    return determinant_.get(scratch, checkpoints);
  }

  void copy(const T* x, int64_t row_stride, int64_t column_stride, double* matrix, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](std::ptrdiff_t row, int64_t end) {
      for (; row < end; ++row) {
        const T* from = x + row * row_stride;
        double* to = matrix + row * determinant_.pitch();
        if (column_stride == 1) {
          for (int64_t j = 0; j < n_; ++j) to[j] = double(from[j]);
        } else {
          for (int64_t j = 0; j < n_; ++j) to[j] = double(from[j * column_stride]);
        }
      }
    });
  }

  bool finite(const T* x, Checkpoints& checkpoints) const {
    bool result = true;
    checkpoints.in_parts(n_, n_, [&](std::ptrdiff_t row, int64_t end) {
      result = result && std::all_of(x + row * n_, x + end * n_, [](T value) { return std::isfinite(double(value)); });
    });
    return result;
  }

  int64_t n_;
  Determinant determinant_;
};

/// Det: the determinants of square matrices, computed in double.
/// X: float types [..., M, M]. Y: X's dtype [...]. The determinant is 1 for M = 0.
/// Source: https://onnx.ai/onnx/operators/onnx__Det.html
class Det final : public Op {
 public:
  explicit Det(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "X");
    require_rank_at_least(in[0], 2, "X");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    const int rank = in[0].rank();
    merge_dim(in[0].dim(rank - 2), in[0].dim(rank - 1), "rows and columns of X");
    return {Fact(in[0].dtype, Dims(in[0].dims->begin(), in[0].dims->end() - 2))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr { return std::make_unique<DetKernel<T>>(in); });
  }
};

}  // namespace

LINNET_REGISTER(det)(Registry& registry) { registry.add<Det>("Det", {.since = 11}); }

}  // namespace linnet
