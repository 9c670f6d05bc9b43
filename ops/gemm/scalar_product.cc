#include <algorithm>

#include "elements/dispatch.h"
#include "gemm/matrix_product.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kScalarChunkMultiplies = 64 * 1024;

template <class T>
class ScalarProduct final : public Kernel {
  // Sums wrap, which is defined for unsigned types only.
  using Sum = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

 public:
  ScalarProduct(const MatrixProduct& product, const std::vector<Addend>& addends, const WidthFunctions& functions)
      : product_(product), addends_(addends), multiply_add_(functions.multiply_add) {
    const int64_t row_multiplies = std::max<int64_t>(1, product.n * product.k);
    chunk_rows_ = std::max<int64_t>(1, kScalarChunkMultiplies / row_multiplies);
  }

  void run(KernelContext& context) const override {
    const int64_t rows = product_.batch() * product_.m;
    context.executor().parallel_for(ceil_div(rows, chunk_rows_), [&](int64_t chunk, int) {
      Checkpoints checkpoints;
      const int64_t end = std::min(rows, (chunk + 1) * chunk_rows_);
      for (int64_t row = chunk * chunk_rows_; row < end; ++row) run_row(context, row, checkpoints);
    });
  }

 private:
  void run_row(KernelContext& context, int64_t row, Checkpoints& checkpoints) const {
    const auto& p = product_;
    const int64_t matrix = row / p.m, i = row % p.m;
    const T* a = context.input(0).data<T>() + p.a_index[size_t(matrix)] * p.m * p.k;
    const T* b = context.input(1).data<T>() + p.b_index[size_t(matrix)] * p.k * p.n;
    T* y = context.output(0).data<T>() + row * p.n;
    if (p.transpose_b) {
      for (int64_t j = 0; j < p.n; ++j) {
        Sum sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += Sum(p.transpose_a ? a[k * p.m + i] : a[i * p.k + k]) * Sum(b[j * p.k + k]);
        y[j] = T(sum);
        checkpoints.add(p.k);
      }
    } else {
      std::fill_n(y, p.n, T(0));
      for (int64_t k = 0; k < p.k; ++k) {
        multiply_add_(p.transpose_a ? a + k * p.m + i : a + i * p.k + k, b + k * p.n, y, p.n);
        checkpoints.add(p.n);
      }
    }
    if (p.alpha != 1 || !addends_.empty()) add_addends(context, row, y);
  }

  void add_addends(KernelContext& context, int64_t row, T* y) const {
    for (int64_t j = 0; j < product_.n; ++j) {
      T result = scaled(y[j], product_.alpha);
      for (const Addend& addend : addends_) {
        const int64_t at = (addend.rows == 1 ? 0 : row * addend.columns) + (addend.columns == 1 ? 0 : j);
        result = T(Sum(result) + Sum(scaled(context.input(addend.input).data<T>()[at], addend.beta)));
      }
      y[j] = result;
    }
  }

  static T scaled(T value, float factor) { return factor == 1 ? value : T(double(factor) * double(value)); }

  MatrixProduct product_;
  std::vector<Addend> addends_;
  decltype(WidthFunctions::multiply_add) multiply_add_;
  int64_t chunk_rows_;
};

}  // namespace

KernelPtr make_scalar_product(DType dtype, const MatrixProduct& product, const std::vector<Addend>& addends, Isa isa) {
  const WidthFunctions* functions = kernels_for<NumberKernels>(isa).width(dtype);
  if (!functions) throw_dtype(dtype);
  return dispatch_among<int32_t, int64_t, uint32_t, uint64_t>(
      dtype, [&]<class T>() -> KernelPtr { return std::make_unique<ScalarProduct<T>>(product, addends, *functions); });
}

KernelPtr make_product(const MatrixProduct& product, const std::vector<Addend>& addends, const Epilogue& activation,
                       const CompileInput& in) {
  const DType dtype = in.dtype(0);
  if (dtype == DType::kFloat32 || dtype == DType::kFloat64) {
    return make_float_product(product, addends, activation, in);
  }
  return make_scalar_product(dtype, product, addends, in.isa());
}

}  // namespace linnet
