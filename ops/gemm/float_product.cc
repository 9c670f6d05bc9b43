#include <algorithm>

#include "gemm/constant_matrices.h"
#include "gemm/product_plan.h"
#include "gemm/vector_product.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Returns the number of matrices in A that are multiplied.
int64_t matrices_of(const MatrixProduct& product) {
  return product.batch() == 0 ? 0 : std::ranges::max(product.a_index) + 1;
}

/// Scratch: the plan's; the rows of A; packed B where it is not constant; addends that cannot be used in place.
template <class Type>
class FloatProduct final : public Kernel {
  using A = typename Type::A;
  using B = typename Type::B;
  using T = typename Type::Y;
  static constexpr int kUnit = Type::kUnit;

 public:
  FloatProduct(const MatrixProduct& product, const std::vector<Addend>& addends, const BasicEpilogue<T>& activation,
               const CompileInput& in)
      : product_(product),
        addends_(addends),
        activation_(activation),
        note_(product_text<B>(in)),
        rows_(checked_mul(matrices_of(product), product.m), product.k, in.isa()),
        transpose_(kernels_for<TransposeKernels>(in.isa())) {
    GemmSizes sizes;
    sizes.rows = product.m;
    sizes.columns = product.n;
    sizes.depth = rows_.depth();
    sizes.workers = in.executor().workers();
    const auto& kernels = kernels_for<GemmKernels<Type>>(in.isa());
    tile_rows_ = tile_rows_of(kernels, sizes);
    sizes.row_scratch_bytes = MatrixRows<A>::scratch_bytes(sizes.depth, sizes.depth, tile_rows_);
    plan_ = GemmPlan<Type>(kernels, sizes);
    packed_size_ = packed_size(plan_.panels(), 1, product.k, kUnit);
    rows_offset_ = plan_.scratch_bytes();
    scratch_bytes_ = rows_offset_ +
                     (transposes() ? bytes_of<A>(checked_mul(matrices_of(product), a_size())) : rows_.scratch_bytes());
    if (const Tensor* b = in.constant(1)) {
      packed_ = packed_matrices<Type>(product, plan_.panels(), *b, in);
    } else {
      packed_offset_ = scratch_bytes_;
      scratch_bytes_ += bytes_of<B>(checked_mul(product.b_count, packed_size_));
    }
    for (const Addend& addend : addends_) {
      addend_offset_ = scratch_bytes_;
      if (!direct(addend)) scratch_bytes_ += bytes_of<T>(checked_mul(addend.rows, product.n));
    }
    if (std::is_same_v<T, float> && !addends_.empty() && replaces_y(addends_.back()))
      residual_input_ = addends_.back().input;
  }

  void run(KernelContext& context) const override {
    const A* a = rows_of_a(context);
    const B* b = packed_ ? packed_.data<B>() : pack_in_scratch(context);
    T* y = context.output(0).data<T>();
    const BasicEpilogue<T> epilogue = bind_addends(context);
    const int64_t chunks = plan_.chunks(), cost = multiplies() / chunks / multiplies_of_element();
    parallel_items(context.executor(), product_.batch() * chunks, cost, [&](int64_t chunk, int64_t end, int worker) {
      for (; chunk < end; ++chunk) {
        const int64_t i = chunk / chunks;
        const MatrixRows<A> rows(a + product_.a_index[size_t(i)] * a_size(), rows_.depth(), tile_rows_);
        GemmOperands<Type> operands;
        operands.a = &rows;
        operands.b = b + product_.b_index[size_t(i)] * packed_size_;
        operands.y = y + i * product_.m * product_.n;
        operands.y_pitch = product_.n;
        operands.epilogue = epilogue.at(i * product_.m, 0);
        plan_.run_chunk(operands, chunk % chunks, context.scratch(worker));
      }
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != 1 || !packed_; }
  int in_place(int) const override { return residual_input_; }
  std::string describe() const override { return str("GEMM ", plan_.describe(), note_, packed_ ? "" : ", packing B"); }

 private:
  static constexpr int64_t kTransposedRows = 64;      ///< rows of A that are transposed together
  static constexpr int64_t kMultipliesOfElement = 8;  ///< about as many as in the time of touching an element

  /// With few rows each element of B is multiplied only a few times, so reading B dominates the time.
  int64_t multiplies_of_element() const { return std::clamp<int64_t>(product_.m, 1, kMultipliesOfElement); }
  /// The multiplications of one product.
  int64_t multiplies() const { return checked_mul(checked_mul(product_.m, product_.n), product_.k); }

  template <class V>
  static size_t bytes_of(int64_t count) {
    return aligned(dtype_bytes(dtype_of<V>, count));
  }
  int64_t a_size() const { return checked_mul(product_.m, rows_.depth()); }
  /// Whether A has other bytes than its transpose.
  bool transposes() const { return product_.transpose_a && product_.m > 1 && product_.k > 1; }
  /// Whether the addend is used in place.
  bool direct(const Addend& addend) const { return addend.columns == product_.n && addend.beta == 1; }
  /// Whether y may be written over the addend.
  bool replaces_y(const Addend& addend) const {
    return addend.residual && direct(addend) && addend.rows == product_.m * product_.batch();
  }

  const A* rows_of_a(KernelContext& context) const {
    const T* a = context.input(0).data<T>();
    std::byte* scratch = context.scratch() + rows_offset_;
    if constexpr (std::is_same_v<A, T>) {
      if (transposes()) return transposed(a, reinterpret_cast<A*>(scratch), context.executor());
    }
    return rows_.get(a, scratch, context.executor());
  }

  /// Transposes all matrices of A from [k, m] to [m, k].
  const A* transposed(const A* a, A* to, Executor& executor) const {
    const auto transpose = sizeof(A) == 8 ? transpose_.bits64 : transpose_.bits32;
    const int64_t m = product_.m, k = product_.k, blocks = ceil_div(m, kTransposedRows);
    parallel_items(executor, matrices_of(product_) * blocks, kTransposedRows * k, [&](int64_t i, int64_t end, int) {
      Checkpoints checkpoints;
      for (; i < end; ++i) {
        const std::ptrdiff_t matrix = i / blocks * a_size();
        const Span rows = Span{0, m}.part(blocks, i % blocks);
        checkpoints.in_parts(k, rows.size(), [&](int64_t first, int64_t last) {
          transpose(a + matrix + first * m + rows.begin, last - first, rows.size(), m,
                    to + matrix + rows.begin * k + first, k);
        });
      }
    });
    return to;
  }

  const B* pack_in_scratch(KernelContext& context) const {
    const B* b = context.input(1).data<B>();
    auto* packed = reinterpret_cast<B*>(context.scratch() + packed_offset_);
    const GemmPanels& panels = plan_.panels();
    const int64_t count = panels.count(), values = packed_size_ / count;
    parallel_items(context.executor(), product_.b_count * count, values, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        const int64_t i = item / count, panel = item % count;
        pack_panel(matrix_weights(product_, b, i), panels, panel,
                   packed + i * packed_size_ + panel_begin(panels, panel, 1, product_.k), checkpoints);
      }
    });
    return packed;
  }

  BasicEpilogue<T> bind_addends(KernelContext& context) const {
    BasicEpilogue<T> epilogue = activation_;
    for (const Addend& addend : addends_) {
      const T* values = context.input(addend.input).data<T>();
      if (!direct(addend)) values = expand(addend, values, context);
      if (!addend.residual) {
        epilogue.bias = values;
      } else {
        epilogue.residual = values;
        epilogue.residual_pitch = addend.rows == 1 ? 0 : product_.n;
      }
    }
    return epilogue;
  }

  const T* expand(const Addend& addend, const T* values, KernelContext& context) const {
    auto* expanded = reinterpret_cast<T*>(context.scratch() + addend_offset_);
    for (int64_t i = 0; i < addend.rows; ++i) {
      for (int64_t j = 0; j < product_.n; ++j) {
        expanded[i * product_.n + j] = T(addend.beta) * values[i * addend.columns + (addend.columns == 1 ? 0 : j)];
      }
    }
    return expanded;
  }

  MatrixProduct product_;
  std::vector<Addend> addends_;
  BasicEpilogue<T> activation_;
  std::string note_;
  ProductRows<Type> rows_;
  TransposeKernels transpose_;
  int tile_rows_ = 0;
  GemmPlan<Type> plan_;
  size_t rows_offset_ = 0;
  int64_t packed_size_ = 0;  // values of one packed matrix
  Tensor packed_;
  size_t packed_offset_ = 0;
  size_t addend_offset_ = 0;
  size_t scratch_bytes_ = 0;
  int residual_input_ = -1;  ///< y may be written over this input
};

}  // namespace

KernelPtr make_float_product(const MatrixProduct& product, const std::vector<Addend>& addends,
                             const Epilogue& activation, const CompileInput& in) {
  if (in.dtype(0) == DType::kFloat64) {
    return std::make_unique<FloatProduct<GemmF64>>(product, addends, BasicEpilogue<double>(), in);
  }
  if (addends.empty()) {
    if (KernelPtr kernel = make_vector_product(product, activation, in)) return kernel;
  }
  const auto make = [&]<class Type>() -> KernelPtr {
    return std::make_unique<FloatProduct<Type>>(product, addends, activation, in);
  };
  return product.transpose_a ? with_weights_of(in, 1, make) : with_product_of(in, make);
}

}  // namespace linnet
