#include <algorithm>
#include <utility>

#include "elements/dispatch.h"
#include "gemm/rows.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "products/row_update.h"
#include "registration.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kRows = 16;        // rows that are eliminated together
constexpr int64_t kFewestRows = 64;  // fewest rows of a matrix for which that pays

/// Inverts matrices of n rows and columns in place.
class Inverter {
 public:
  Inverter(int64_t n, Isa isa)
      : n_(n),
        rows_(n < kFewestRows ? n : kRows),
        pitch_(n < kFewestRows ? n : row_copy_pitch<double>(n)),
        add_rows_(kernels_for<NumberKernels>(isa).multiply_add_rows_f64) {
    const auto bytes = [](int64_t a, int64_t b) { return aligned(dtype_bytes(DType::kFloat64, checked_mul(a, b))); };
    pivots_offset_ = bytes(n, pitch_);
    factors_offset_ = pivots_offset_ + bytes(n, 1);
    update_offset_ = factors_offset_ + bytes(n, rows_ == n ? 1 : kRows);
    if (rows_ != n) update_ = RowUpdate(n, kRows, pitch_, isa);
  }

  /// The distance in elements from one row to the next.
  int64_t pitch() const { return pitch_; }
  /// The bytes of the matrix, which comes first, and of what invert() needs in addition.
  size_t scratch_bytes() const { return update_offset_ + update_.scratch_bytes(); }

  /// Inverts the matrix at the beginning of scratch by Gauss-Jordan elimination. A column that becomes one of the unit
  /// matrix is replaced by one of the inverse. Columns are exchanged, so that each pivot is the largest element of its
  /// row. Singular matrices give infinities and NaN.
  void invert(std::byte* scratch, Checkpoints& checkpoints) const {
    auto* a = reinterpret_cast<double*>(scratch);
    auto* pivots = reinterpret_cast<int64_t*>(scratch + pivots_offset_);
    auto* factors = reinterpret_cast<double*>(scratch + factors_offset_);
    for (int64_t first = 0; first < n_; first += rows_) {
      const int64_t end = std::min(first + rows_, n_);
      for (int64_t k = first; k < end; ++k) {
        pivots[k] = k + largest_magnitude(a + k * pitch_ + k, n_ - k);
        if (pivots[k] != k) swap_columns(a, k, pivots[k]);
        eliminate(a, k, {first, end}, factors, checkpoints);
      }
      if (end - first == n_) break;
      update(a, {first, end}, {0, first}, scratch, checkpoints);
      update(a, {first, end}, {end, n_}, scratch, checkpoints);
    }
    // Exchanged columns are exchanged rows of the inverse.
    for (int64_t k = n_ - 1; k >= 0; --k) {
      if (pivots[k] != k) std::swap_ranges(a + k * pitch_, a + k * pitch_ + n_, a + pivots[k] * pitch_);
      checkpoints.add(n_);
    }
  }

 private:
  void swap_columns(double* a, int64_t k, int64_t pivot) const {
    for (std::ptrdiff_t i = 0; i < n_; ++i) std::swap(a[i * pitch_ + k], a[i * pitch_ + pivot]);
  }

  /// Scales row k and subtracts multiples of it from the others of `rows`, in which column k then is one of the
  /// inverse.
  void eliminate(double* a, int64_t k, const Span& rows, double* factors, Checkpoints& checkpoints) const {
    double* row = a + k * pitch_;
    const double factor = 1 / std::exchange(row[k], 1);
    for (int64_t j = 0; j < n_; ++j) row[j] *= factor;
    for (const Span& others : {Span{rows.begin, k}, Span{k + 1, rows.end}}) {
      checkpoints.in_parts(others.size(), n_, [&](int64_t first, int64_t last) {
        double* to = a + (others.begin + first) * pitch_;
        for (std::ptrdiff_t i = 0; i < last - first; ++i) factors[i] = -std::exchange(to[i * pitch_ + k], 0);
        add_rows_(factors, 1, row, to, pitch_, last - first, n_);
      });
    }
  }

  /// Subtracts multiples of eliminated rows from the rows `others`.
  void update(double* a, const Span& rows, const Span& others, std::byte* scratch, Checkpoints& checkpoints) const {
    const int64_t depth = rows.size();
    auto* factors = reinterpret_cast<double*>(scratch + factors_offset_);
    double* to = a + others.begin * pitch_;
    checkpoints.in_parts(others.size(), depth, [&](std::ptrdiff_t i, int64_t end) {
      for (; i < end; ++i) {
        for (int64_t k = 0; k < depth; ++k) {
          factors[i * depth + k] = -std::exchange(to[i * pitch_ + rows.begin + k], 0);
        }
      }
    });
    update_.add({.factors = factors,
                 .factors_pitch = depth,
                 .from = a + rows.begin * pitch_,
                 .depth = depth,
                 .columns = n_,
                 .to = to,
                 .rows = others.size()},
                scratch + update_offset_, checkpoints);
  }

  int64_t n_, rows_;  ///< rows_: the rows that are eliminated together
  int64_t pitch_;
  decltype(NumberKernels::multiply_add_rows_f64) add_rows_;
  RowUpdate update_;
  size_t pivots_offset_ = 0, factors_offset_ = 0, update_offset_ = 0;
};

template <class T>
class InverseKernel final : public Kernel {
 public:
  explicit InverseKernel(const CompileInput& in) : n_(in.shape(0)[in.shape(0).rank() - 1]), inverter_(n_, in.isa()) {}

  void run(KernelContext& context) const override {
    const int64_t elements = n_ * n_;
    if (elements == 0) return;
    parallel_items(context.executor(), context.output(0).size() / elements, elements * n_,
                   [&](int64_t i, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     std::byte* scratch = context.scratch(worker);
                     auto* matrix = reinterpret_cast<double*>(scratch);
                     for (; i < end; ++i) {
                       read(context.input(0).data<T>() + i * elements, matrix, checkpoints);
                       inverter_.invert(scratch, checkpoints);
                       write(matrix, context.output(0).data<T>() + i * elements, checkpoints);
                     }
                   });
  }
  size_t scratch_bytes() const override { return inverter_.scratch_bytes(); }

 private:
  void read(const T* x, double* matrix, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) std::copy_n(x + i * n_, n_, matrix + i * inverter_.pitch());
    });
  }

  void write(const double* matrix, T* y, Checkpoints& checkpoints) const {
    checkpoints.in_parts(n_, n_, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const double* row = matrix + i * inverter_.pitch();
        for (int64_t j = 0; j < n_; ++j) y[i * n_ + j] = T(row[j]);
      }
    });
  }

  int64_t n_;
  Inverter inverter_;
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
