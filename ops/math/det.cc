#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

/// The determinant of a[n * n], which is overwritten: Gaussian elimination with row pivots.
double determinant(double* a, int64_t n, Checkpoints& checkpoints) {
  double result = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    checkpoints.add(n);
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      result = -result;
    }
    result *= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      double* __restrict row = a + i * n;
      const double* __restrict pivot_row = a + k * n;
      const double factor = row[k] / pivot_row[k];
      for (int64_t j = k + 1; j < n; ++j) row[j] -= factor * pivot_row[j];
      checkpoints.add(n - k);
    }
  }
  return result;
}

template <class T>
class DetKernel final : public Kernel {
 public:
  explicit DetKernel(const Shape& x) : n_(x[x.rank() - 1]), elements_(checked_mul(n_, n_)) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    parallel_items(
        context.executor(), context.output(0).size(), elements_ * n_, [&](int64_t i, int64_t end, int worker) {
          Checkpoints checkpoints;
          auto* matrix = reinterpret_cast<double*>(context.scratch(worker));
          for (; i < end; ++i) {
            const T* from = x + i * elements_;
            checkpoints.in_parts(elements_, 1,
                                 [&](int64_t k, int64_t last) { std::copy(from + k, from + last, matrix + k); });
            y[i] = T(determinant(matrix, n_, checkpoints));
          }
        });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, elements_); }

 private:
  int64_t n_, elements_;
};

/// Det: the determinants of square matrices, computed in double.
/// X: float types [..., M, M].   Y: X's dtype [...]; 1 for M = 0.
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
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<DetKernel<T>>(in.shape(0)); });
  }
};

}  // namespace

void register_det(Registry& registry) { registry.add<Det>("Det", {.since = 11}); }

}  // namespace linnet
