#include <algorithm>
#include <cmath>
#include <utility>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Inverts a matrix of n rows and columns in place.
class InverseOf {
 public:
  /// memory: for the rows, and n pivots and factors of rows.
  InverseOf(int64_t n, std::byte* memory, const NumberKernels& kernels)
      : n_(n),
        rows_(reinterpret_cast<double*>(memory)),
        factors_(rows_ + n * n),
        pivots_(reinterpret_cast<int64_t*>(factors_ + n)),
        multiply_add_rows_(kernels.multiply_add_rows_f64) {}

  double* row(int64_t i) const { return rows_ + i * n_; }

  /// Gauss-Jordan elimination with row pivots. A column that becomes one of the unit matrix is replaced by one of the
  /// inverse. Singular matrices give infinities and NaN.
  void eliminate(Checkpoints& checkpoints) const {
    for (int64_t k = 0; k < n_; ++k) {
      pivots_[k] = pivot(k);
      if (pivots_[k] != k) std::swap_ranges(row(k), row(k) + n_, row(pivots_[k]));
      scale(k);
      subtract(k, 0, k, checkpoints);
      subtract(k, k + 1, n_, checkpoints);
    }
    // Swapped rows are swapped columns of the inverse.
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        for (int64_t k = n_ - 1; k >= 0; --k) std::swap(row(i)[k], row(i)[pivots_[k]]);
      }
    });
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
    row(k)[k] = 1;
    for (int64_t j = 0; j < n_; ++j) row(k)[j] *= factor;
  }

  /// Subtracts multiples of row k from rows [first, last), in which column k then is one of the inverse.
  void subtract(int64_t k, int64_t first, int64_t last, Checkpoints& checkpoints) const {
    checkpoints.in_parts(last - first, n_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) factors_[i] = -std::exchange(row(first + i)[k], 0);
      multiply_add_rows_(factors_ + begin, 1, row(k), row(first + begin), n_, end - begin, n_);
    });
  }

  int64_t n_;
  double *rows_, *factors_;
  int64_t* pivots_;
  decltype(NumberKernels::multiply_add_rows_f64) multiply_add_rows_;
};

template <class T>
class InverseKernel final : public Kernel {
 public:
  explicit InverseKernel(const CompileInput& in)
      : n_(in.shape(0)[in.shape(0).rank() - 1]), kernels_(kernels_for<NumberKernels>(in.isa())) {}

  void run(KernelContext& context) const override {
    const int64_t elements = n_ * n_;
    if (elements == 0) return;
    parallel_items(context.executor(), context.output(0).size() / elements, elements * n_,
                   [&](int64_t i, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     const InverseOf matrix(n_, context.scratch(worker), kernels_);
                     for (; i < end; ++i) {
                       read(context.input(0).data<T>() + i * elements, matrix, checkpoints);
                       matrix.eliminate(checkpoints);
                       write(matrix, context.output(0).data<T>() + i * elements, checkpoints);
                     }
                   });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, checked_mul(n_, checked_add(n_, 2))); }

 private:
  void read(const T* x, const InverseOf& matrix, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        std::copy_n(x + i * n_, n_, matrix.row(i));
      }
    });
  }

  void write(const InverseOf& matrix, T* y, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const double* row = matrix.row(i);
        for (int64_t j = 0; j < n_; ++j) y[i * n_ + j] = T(row[j]);
      }
    });
  }

  int64_t n_;
  const NumberKernels& kernels_;
};

/// Inverse: the inverses of square matrices, computed in double. The inverse of a singular matrix has non-finite
/// values.
/// - X, Y: float types [..., M, M]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Inverse
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
