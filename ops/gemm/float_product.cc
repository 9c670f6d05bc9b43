#include <algorithm>
#include <span>

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

/// Scratch: the plan's; the rows of A; packed matrices of B where it is neither constant nor used in place; addends
/// that cannot be used in place.
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
    } else if (!is_panel()) {
      one_by_one_ =
          product.b_count == product.batch() && product.batch() >= checked_mul(kProductsOfWorker, sizes.workers);
      prefetches_ = bytes_of<A>(a_size()) + bytes_of<B>(b_size()) <= size_t(this_machine().l2_bytes) / 2;
      packed_offset_ = scratch_bytes_;
      scratch_bytes_ += bytes_of<B>(checked_mul(one_by_one_ ? 1 : product.b_count, packed_size_));
    }
    for (const Addend& addend : addends_) {
      addend_offset_ = scratch_bytes_;
      if (!direct(addend)) scratch_bytes_ += bytes_of<T>(checked_mul(addend.rows, product.n));
    }
    if (std::is_same_v<T, float> && !addends_.empty() && replaces_y(addends_.back()))
      residual_input_ = addends_.back().input;
  }

  void run(KernelContext& context) const override {
    const Operands x{rows_of_a(context), matrices_of_b(context), context.output(0).data<T>(), bind_addends(context)};
    one_by_one_ ? run_products(x, context) : run_chunks(x, context);
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != 1 || !packed_; }
  int in_place(int) const override { return residual_input_; }
  std::string describe() const override {
    return str("GEMM ", plan_.describe(), note_, packed_ || is_panel() ? "" : ", packing B");
  }

 private:
  static constexpr int64_t kTransposedRows = 64;      ///< rows of A that are transposed together
  static constexpr int64_t kProductsOfWorker = 4;     ///< fewest products that are shared out whole
  static constexpr int64_t kMultipliesOfElement = 8;  ///< about as many as in the time of touching an element

  struct Operands {
    const A* a;
    const B* b;
    T* y;
    BasicEpilogue<T> epilogue;
  };

  /// Returns the operands of product i, with this matrix of B.
  GemmOperands<Type> operands_of(const Operands& x, int64_t i, const MatrixRows<A>& rows, const B* matrix) const {
    GemmOperands<Type> operands;
    operands.a = &rows;
    operands.b = matrix;
    const int64_t row = checked_mul(i, product_.m);
    operands.y = x.y + row * product_.n;
    operands.y_pitch = product_.n;
    operands.epilogue = x.epilogue.at(row, 0);
    return operands;
  }
  const A* matrix_of_a(const Operands& x, int64_t i) const { return x.a + product_.a_index[size_t(i)] * a_size(); }
  const B* matrix_of_b(const Operands& x, int64_t i, int64_t size) const {
    return x.b + product_.b_index[size_t(i)] * size;
  }

  void run_chunks(const Operands& x, KernelContext& context) const {
    const int64_t chunks = plan_.chunks();
    parallel_items(context.executor(), product_.batch() * chunks, cost() / chunks,
                   [&](int64_t item, int64_t end, int worker) {
                     for (; item < end; ++item) {
                       const int64_t i = item / chunks;
                       const MatrixRows<A> rows(matrix_of_a(x, i), rows_.depth(), tile_rows_);
                       const B* matrix = matrix_of_b(x, i, packed_size_);
                       plan_.run_chunk(operands_of(x, i, rows, matrix), item % chunks, context.scratch(worker));
                     }
                   });
  }

  /// Shares out whole products. A worker packs the matrix of each where the second-level cache keeps it.
  void run_products(const Operands& x, KernelContext& context) const {
    const int64_t most = checked_mul(kProductsOfWorker, context.executor().workers());
    const Span batch{0, product_.batch()};
    const int64_t parts = std::clamp<int64_t>(checked_mul(batch.end, cost()) / kChunkElements, 1, most);
    context.executor().parallel_for(parts, [&](int64_t part, int worker) {
      const Span products = batch.part(parts, part);
      for (int64_t i = products.begin; i < products.end; ++i) {
        const MatrixRows<A> rows(matrix_of_a(x, i), rows_.depth(), tile_rows_);
        GemmOperands<Type> operands = operands_of(x, i, rows, pack_alone(x.b, i, context.scratch(worker)));
        if (prefetches_ && i + 1 < products.end) {
          operands.next_a = std::as_bytes(std::span(matrix_of_a(x, i + 1), size_t(a_size())));
          operands.next_b = std::as_bytes(std::span(matrix_of_b(x, i + 1, b_size()), size_t(b_size())));
        }
        for (int64_t chunk = 0; chunk < plan_.chunks(); ++chunk) {
          plan_.run_chunk(operands, chunk, context.scratch(worker));
        }
      }
    });
  }

  /// With few rows each element of B is multiplied only a few times, so reading B dominates the time.
  int64_t multiplies_of_element() const { return std::clamp<int64_t>(product_.m, 1, kMultipliesOfElement); }
  /// The multiplications of one product.
  int64_t multiplies() const { return checked_mul(checked_mul(product_.m, product_.n), product_.k); }

  /// The elements whose touching takes as long as a product.
  int64_t cost() const { return multiplies() / multiplies_of_element(); }

  template <class V>
  static size_t bytes_of(int64_t count) {
    return aligned(dtype_bytes(dtype_of<V>, count));
  }
  int64_t a_size() const { return checked_mul(product_.m, rows_.depth()); }
  int64_t b_size() const { return checked_mul(product_.k, product_.n); }
  /// Whether A has other bytes than its transpose.
  bool transposes() const { return product_.transpose_a && product_.m > 1 && product_.k > 1; }
  /// Whether the matrices of B are panels as they are.
  bool is_panel() const {
    const GemmPanels& panels = plan_.panels();
    return kUnit == 1 && !product_.transpose_b && product_.alpha == 1 && panels.count() == 1 &&
           panels.first_column(1) == product_.n;
  }
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

  /// Returns the matrices as they are multiplied or, where each worker packs those of its products, as they are given.
  const B* matrices_of_b(KernelContext& context) const {
    if (packed_) return packed_.data<B>();
    const B* b = context.input(1).data<B>();
    return one_by_one_ || is_panel() ? b : pack_in_scratch(b, context);
  }

  void pack(const B* b, int64_t matrix, int64_t panel, B* to, Checkpoints& checkpoints) const {
    pack_panel(matrix_weights(product_, b, matrix), plan_.panels(), panel,
               to + panel_begin(plan_.panels(), panel, 1, product_.k), checkpoints);
  }

  /// Packs the matrix of B of product i.
  const B* pack_alone(const B* b, int64_t i, std::byte* scratch) const {
    auto* packed = reinterpret_cast<B*>(scratch + packed_offset_);
    const int64_t matrix = product_.b_index[size_t(i)];
    Checkpoints checkpoints;
    for (int64_t panel = 0; panel < plan_.panels().count(); ++panel) pack(b, matrix, panel, packed, checkpoints);
    return packed;
  }

  const B* pack_in_scratch(const B* b, KernelContext& context) const {
    auto* packed = reinterpret_cast<B*>(context.scratch() + packed_offset_);
    const int64_t count = plan_.panels().count(), values = packed_size_ / count;
    parallel_items(context.executor(), product_.b_count * count, values, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        const int64_t matrix = item / count;
        pack(b, matrix, item % count, packed + matrix * packed_size_, checkpoints);
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
  bool one_by_one_ = false;  ///< whether each worker packs the matrix of B of each of its products
  bool prefetches_ = false;  ///< whether it then prefetches the next matrices
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
