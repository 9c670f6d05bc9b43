#pragma once

#include "gemm/product_plan.h"

namespace linnet {

/// A StripStore that calls a function with the arguments of store().
template <class Y, class F>
class StripFunction final : public StripStore<Y> {
 public:
  explicit StripFunction(const F& function) : function_(function) {}
  void store(const Span& rows, const Span& columns, const Y* y) const override { function_(rows, columns, y); }

 private:
  const F& function_;
};

/// The StripStore of product `product`. It calls store(product, rows, columns, sums) and, where `store` has that
/// function, store.to_bytes(product, rows, columns, to).
template <class Store>
class ProductStrips final : public StripStore<int32_t> {
 public:
  ProductStrips(const Store& store, int64_t product) : store_(store), product_(product) {}
  void store(const Span& rows, const Span& columns, const int32_t* sums) const override {
    store_(product_, rows, columns, sums);
  }
  bool to_bytes(const Span& rows, const Span& columns, ByteBlock& to) const override {
    if constexpr (requires { store_.to_bytes(product_, rows, columns, to); }) {
      return store_.to_bytes(product_, rows, columns, to);
    } else {
      return false;
    }
  }

 private:
  const Store& store_;
  int64_t product_;
};

/// The matrices B of several products of equal sizes.
template <class Type>
struct PackedMatrices {
  const typename Type::B* data = nullptr;  ///< packed for the plan's panels(), one after another
  int64_t size = 0;                        ///< of one packed matrix
  const int32_t* bias = nullptr;           ///< added to the sums of each column of each matrix; may be null
  int64_t columns = 0;                     ///< of one matrix; needed with a bias
};

/// Computes `count` products of integers in parallel. Product i is rows(i), a RowSource, times matrix_of(i), the index
/// of a matrix of b. store(i, rows, columns, sums) receives the sums of these rows and columns of product i, part by
/// part. See ProductStrips.
template <class Type, class Rows, class Matrix, class Store>
void run_products(const GemmPlan<Type>& plan, KernelContext& context, int64_t count, const Rows& rows,
                  const PackedMatrices<Type>& b, const Matrix& matrix_of, const Store& store) {
  context.executor().parallel_for(count * plan.chunks(), [&](int64_t i, int worker) {
    const int64_t product = i / plan.chunks(), matrix = matrix_of(product);
    const auto a = rows(product);
    const ProductStrips<Store> strips(store, product);
    GemmOperands<Type> operands{.a = &a, .b = b.data + matrix * b.size, .store = &strips};
    operands.epilogue.bias = b.bias ? b.bias + matrix * b.columns : nullptr;
    plan.run_chunk(operands, i % plan.chunks(), context.scratch(worker));
  });
}

}  // namespace linnet
