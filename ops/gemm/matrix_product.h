#pragma once

#include <vector>

#include "kernels/epilogue.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// A batch of matrix products: y[i] = alpha * op(A[a_index[i]]) * op(B[b_index[i]]). y[i] is m x n; sums are over k.
struct MatrixProduct {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  float alpha = 1;
  CountedVector<int64_t> a_index{0}, b_index{0};  ///< for each output matrix, the matrix of A and of B
  int64_t b_count = 1;                            ///< matrices in B

  int64_t batch() const { return int64_t(a_index.size()); }
};

/// An input of [rows, columns] (each possibly 1) that is multiplied by beta and added to every row and column of y. It
/// is rounded as a residual or as a bias, which the operator decides: the bits of a row must not depend on the number
/// of rows, and a residual may have one.
struct Addend {
  int input = 0;
  int64_t rows = 1, columns = 1;
  float beta = 1;
  bool residual = false;  ///< it may have several rows
};

/// The product of float32 or float64 inputs 0 and 1. In float32 products a constant input 1 may be float16 or bfloat16
/// if alpha is 1. At most one addend is a bias, the first, and at most one is a residual, whose rows are those of the
/// batch in sequence. The activation is for float32 only; its bias and residual are not used.
KernelPtr make_float_product(const MatrixProduct& product, const std::vector<Addend>& addends,
                             const Epilogue& activation, const CompileInput& in);

/// The product of integer inputs, computed row by row. Results wrap.
KernelPtr make_scalar_product(DType dtype, const MatrixProduct& product, const std::vector<Addend>& addends, Isa isa);

/// Returns the product for the dtype of the inputs.
KernelPtr make_product(const MatrixProduct& product, const std::vector<Addend>& addends, const Epilogue& activation,
                       const CompileInput& in);

}  // namespace linnet
