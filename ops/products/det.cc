#include <algorithm>

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
                       copy(x + i * elements, reinterpret_cast<double*>(context.scratch(worker)), checkpoints);
                       y[i] = T(determinant_.get(context.scratch(worker), checkpoints));
                     }
                   });
  }
  size_t scratch_bytes() const override { return determinant_.scratch_bytes(); }

 private:
  /// Copies a matrix. Of one with infinities it copies the transpose, which has the same determinant if it has one:
  /// whether infinities become NaN depends on the order of elimination, and references eliminate columns.
  void copy(const T* x, double* matrix, Checkpoints& checkpoints) const {
    bool finite = true;
    checkpoints.in_parts(n_, n_, [&](int64_t row, int64_t end) {
      for (; row < end; ++row) {
        double* to = matrix + row * determinant_.pitch();
        for (int64_t j = 0; j < n_; ++j) {
          to[j] = double(x[row * n_ + j]);
          finite &= to[j] - to[j] == 0;
        }
      }
    });
    if (finite) return;
    checkpoints.in_parts(n_, n_, [&](int64_t row, int64_t end) {
      for (; row < end; ++row) {
        for (int64_t j = 0; j < n_; ++j) matrix[row * determinant_.pitch() + j] = double(x[j * n_ + row]);
      }
    });
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
