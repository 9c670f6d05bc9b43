#include <algorithm>
#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Matrices of n rows and columns, beside each the matrix that becomes its inverse: [n, 2n].
class InverseOf {
 public:
  InverseOf(int64_t n, double* rows) : n_(n), rows_(rows) {}

  double* row(int64_t i) const { return rows_ + i * 2 * n_; }

  /// Gauss-Jordan elimination with row pivots. Singular matrices give infinities and NaN.
  void eliminate(Checkpoints& checkpoints) const {
    for (int64_t k = 0; k < n_; ++k) {
      if (const int64_t best = pivot(k); best != k) std::swap_ranges(row(k), row(k) + 2 * n_, row(best));
      scale(k);
      checkpoints.in_parts(n_, 2 * n_, [&](int64_t i, int64_t end) {
        for (; i < end; ++i) {
          if (i != k) subtract(k, i);
        }
      });
    }
  }

 private:
  int64_t pivot(int64_t k) const {
    int64_t best = k;
    for (int64_t i = k + 1; i < n_; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(best)[k])) best = i;
    }
    return best;
  }

  void scale(int64_t k) const {
    const double factor = 1 / row(k)[k];
    for (int64_t j = k; j < 2 * n_; ++j) row(k)[j] *= factor;
  }

  void subtract(int64_t k, int64_t i) const {
    const double factor = row(i)[k];
    for (int64_t j = k; j < 2 * n_; ++j) row(i)[j] -= factor * row(k)[j];
  }

  int64_t n_;
  double* rows_;
};

template <class T>
class InverseKernel final : public Kernel {
 public:
  explicit InverseKernel(const CompileInput& in) : n_(in.shape(0)[in.shape(0).rank() - 1]) {}

  void run(KernelContext& context) const override {
    const int64_t elements = n_ * n_;
    if (elements == 0) return;
    parallel_items(context.executor(), context.output(0).size() / elements, elements * n_,
                   [&](int64_t i, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     const InverseOf matrix(n_, reinterpret_cast<double*>(context.scratch(worker)));
                     for (; i < end; ++i) {
                       read(context.input(0).data<T>() + i * elements, matrix, checkpoints);
                       matrix.eliminate(checkpoints);
                       write(matrix, context.output(0).data<T>() + i * elements, checkpoints);
                     }
                   });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, checked_mul(2, checked_mul(n_, n_))); }

 private:
  void read(const T* x, const InverseOf& matrix, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, 2 * n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        std::copy_n(x + i * n_, n_, matrix.row(i));
        std::fill_n(matrix.row(i) + n_, n_, 0.0);
        matrix.row(i)[n_ + i] = 1;
      }
    });
  }

  void write(const InverseOf& matrix, T* y, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const double* row = matrix.row(i) + n_;
        for (int64_t j = 0; j < n_; ++j) y[i * n_ + j] = T(row[j]);
      }
    });
  }

  int64_t n_;
};

/// Inverse: the inverses of square matrices, computed in double; that of a singular one has no finite value.
/// X, Y: float types [..., M, M]. Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Inverse
class Inverse final : public Op {
 public:
  explicit Inverse(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "X");
    require_rank_at_least(in[0], 2, "X");
    if (!in[0].has_rank()) return same_as(in[0]);
    Dims dims = *in[0].dims;
    dims.back() = *std::prev(dims.end(), 2) =
        merge_dim(*std::prev(dims.end(), 2), dims.back(), "rows and columns of X");
    return {Fact(in[0].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr { return std::make_unique<InverseKernel<T>>(in); });
  }
};

}  // namespace

LINNET_REGISTER(inverse)(Registry& registry) { registry.add<Inverse>("Inverse", {.since = 1, .domain = kMicrosoft}); }

}  // namespace linnet
