#include "gemm/vector_product.h"

#include <algorithm>

#include "gemm/bfloat16_pairs.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/narrow_product.h"
#include "kernels/pool.h"
#include "kernels/reduce.h"
#include "kernels/unary.h"
#include "partition/parallel.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// Applies an epilogue of functions alone to sums, in place.
class SumFunctions {
 public:
  SumFunctions(const Epilogue& epilogue, Isa isa)
      : epilogue_(epilogue), clip_(epilogue.clamps() ? kernels_for<UnaryKernels>(isa).clip : nullptr) {}

  void apply(float* y, int64_t n) const {
    if (clip_) clip_(y, y, n, epilogue_.low, epilogue_.high);
    if (epilogue_.activation) epilogue_.activation(y, y, n, epilogue_.alpha, epilogue_.beta);
  }

 private:
  Epilogue epilogue_;
  UnaryForm clip_;
};

/// Multiplies the rows of a matrix by a vector: y[r] = the sum of x[r * n + i] * v[i].
class RowsByVector final : public Kernel {
 public:
  /// matrix: the input that is the matrix. x_index, v_index: the matrix and the vector of each product.
  RowsByVector(int matrix, int64_t rows, int64_t n, const CountedVector<int64_t>& x_index,
               const CountedVector<int64_t>& v_index, const SumFunctions& functions, Isa isa)
      : matrix_(matrix),
        rows_(rows),
        n_(n),
        x_index_(x_index),
        v_index_(v_index),
        functions_(functions),
        dots_(kernels_for<ReduceKernels>(isa).dots) {}

  void run(KernelContext& context) const override {
    const float* x = context.input(matrix_).data<float>();
    const float* v = context.input(1 - matrix_).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), int64_t(x_index_.size()) * rows_, n_, [&](int64_t row, int64_t end, int) {
      while (row < end) {
        const int64_t product = row / rows_, last = std::min(end, (product + 1) * rows_);
        const auto i = size_t(product);
        dots_(x + (x_index_[i] * rows_ + row % rows_) * n_, last - row, n_, v + v_index_[i] * n_, n_, y + row);
        functions_.apply(y + row, last - row);
        row = last;
      }
    });
  }

  std::string describe() const override { return str(rows_, " rows by a vector"); }

 private:
  int matrix_;
  int64_t rows_, n_;
  CountedVector<int64_t> x_index_, v_index_;
  SumFunctions functions_;
  decltype(ReduceKernels::dots) dots_;
};

/// Multiplies a vector by a matrix, whose rows are added: y[j] = the sum of a[k] * b[k * n + j].
class VectorByMatrix final : public Kernel {
 public:
  VectorByMatrix(const MatrixProduct& product, const SumFunctions& functions, Isa isa)
      : product_(product),
        functions_(functions),
        weighted_(kernels_for<PoolKernels>(isa).weighted_f32),
        add_(kernels_for<BinaryKernels>(isa).add.vector_vector) {}

  void run(KernelContext& context) const override {
    const float* a = context.input(0).data<float>();
    const float* b = context.input(1).data<float>();
    float* y = context.output(0).data<float>();
    const int64_t n = product_.n, k = product_.k;
    const int64_t wanted = std::min<int64_t>(context.executor().workers(), ceil_div(n, kFewestColumns));
    const int64_t columns = ceil_div(ceil_div(n, std::max(wanted, ceil_div(n, kColumns))), kWhole) * kWhole;
    const int64_t parts = ceil_div(n, columns), cost = checked_mul(k, columns);
    parallel_items(context.executor(), product_.batch() * parts, cost, [&](int64_t item, int64_t end, int) {
      for (; item < end; ++item) {
        const auto i = size_t(item / parts);
        const int64_t column = item % parts * columns, count = std::min(columns, n - column);
        float* to = y + int64_t(i) * n + column;
        add_rows(a + product_.a_index[i] * k, b + product_.b_index[i] * k * n + column, count, to);
        functions_.apply(to, count);
      }
    });
  }

  std::string describe() const override { return str("a vector by ", product_.k, " rows"); }

 private:
  static constexpr int64_t kColumns = 4096, kRows = 8;  ///< the most that are read together
  static constexpr int64_t kFewestColumns = 1024;       ///< fewest columns of a part: memory is faster in long lines
  static constexpr int64_t kWhole = 64;                 ///< columns of whole vectors

  void add_rows(const float* a, const float* b, int64_t n, float* y) const {
    float sum[kColumns];
    const float* rows[kRows];
    for (int64_t k = 0; k < product_.k; k += kRows) {
      const int64_t count = std::min(kRows, product_.k - k);
      for (int64_t t = 0; t < count; ++t) rows[t] = b + (k + t) * product_.n;
      weighted_(rows, a + k, count, n, k == 0 ? y : sum);
      if (k > 0) add_(y, sum, y, n);
    }
  }

  MatrixProduct product_;
  SumFunctions functions_;
  decltype(PoolKernels::weighted_f32) weighted_;
  decltype(BinaryForms::vector_vector) add_;
};

/// Multiplies by matrices whose rows fit a vector, without packing them.
class NarrowProduct final : public Kernel {
 public:
  NarrowProduct(const MatrixProduct& product, const SumFunctions& functions, const NarrowProductKernels& kernels)
      : product_(product), functions_(functions), multiply_(kernels.multiply) {}

  void run(KernelContext& context) const override {
    const float* a = context.input(0).data<float>();
    const float* b = context.input(1).data<float>();
    float* y = context.output(0).data<float>();
    const auto& p = product_;
    parallel_items(context.executor(), p.batch() * p.m, p.k + p.n, [&](int64_t row, int64_t end, int) {
      const int64_t first = row;
      while (row < end) {
        const int64_t last = std::min(end, (row / p.m + 1) * p.m);
        const auto i = size_t(row / p.m);
        multiply_(a + (p.a_index[i] * p.m + row % p.m) * p.k, b + p.b_index[i] * p.k * p.n, y + row * p.n, last - row,
                  p.k, p.n);
        row = last;
      }
      functions_.apply(y + first * p.n, (end - first) * p.n);
    });
  }

  std::string describe() const override { return str(product_.m, " rows by ", product_.n, " columns"); }

  /// The longest sum of a block of other products.
  static constexpr int64_t kMostDepth = 512;

 private:
  MatrixProduct product_;
  SumFunctions functions_;
  decltype(NarrowProductKernels::multiply) multiply_;
};

}  // namespace

KernelPtr make_vector_product(const MatrixProduct& p, const Epilogue& activation, const CompileInput& in) {
  if (in.dtype(0) != DType::kFloat32 || in.dtype(1) != DType::kFloat32 || p.alpha != 1 || p.k == 0) return nullptr;
  if (multiplies_bfloat16(in) || activation.slope) return nullptr;
  const SumFunctions functions(activation, in.isa());
  if (p.n == 1 && !(p.transpose_a && p.m > 1)) {
    return std::make_unique<RowsByVector>(0, p.m, p.k, p.a_index, p.b_index, functions, in.isa());
  }
  if (in.constant(1)) return nullptr;
  const auto& narrow = kernels_for<NarrowProductKernels>(in.isa());
  if (p.m > 1 && !p.transpose_a && !p.transpose_b && p.n <= narrow.most_columns && p.k <= NarrowProduct::kMostDepth) {
    return std::make_unique<NarrowProduct>(p, functions, narrow);
  }
  if (p.m != 1) return nullptr;
  if (p.transpose_b) return std::make_unique<RowsByVector>(1, p.n, p.k, p.b_index, p.a_index, functions, in.isa());
  return std::make_unique<VectorByMatrix>(p, functions, in.isa());
}

}  // namespace linnet
