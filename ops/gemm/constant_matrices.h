#pragma once

#include <bit>

#include "gemm/bfloat16_pairs.h"
#include "gemm/matrix_product.h"
#include "gemm/weights.h"

namespace linnet {

/// Returns the weights that a product reads from matrix `matrix` of B.
template <class T>
GemmWeights<T> matrix_weights(const MatrixProduct& product, const T* b, int64_t matrix) {
  GemmWeights<T> result;
  result.data = b + matrix * product.k * product.n;
  result.depth = product.k;
  result.columns = product.n;
  result.depth_stride = product.transpose_b ? 1 : product.n;
  result.column_stride = product.transpose_b ? product.k : 1;
  result.scale = product.alpha;
  return result;
}

/// Packs the matrices of a constant B, one after another. All callers that ask for the same form share one tensor.
template <class Type>
Tensor packed_matrices(const MatrixProduct& product, const GemmPanels& panels, const Tensor& b,
                       const CompileInput& in) {
  using B = typename Type::B;
  const PackedForm form = packed_form("gemm", panels, {product.transpose_b, std::bit_cast<int32_t>(product.alpha)});
  return in.packed(b, form, [&] {
    const int64_t size = packed_size(panels, 1, product.k, Type::kUnit);
    Tensor result = in.packed_memory(dtype_of<B>, Shape{product.b_count, size});
    const Tensor values = Type::kUnit == 1 ? weights_as<B>(b, in) : float_weights(b, in);
    for (int64_t i = 0; i < product.b_count; ++i) {
      B* const to = result.data<B>() + i * size;
      if constexpr (Type::kUnit == 1) {
        pack_weights(matrix_weights(product, values.data<B>(), i), panels, to, &in.executor());
      } else {
        pack_pairs(matrix_weights(product, values.data<float>(), i), panels, to, in.executor());
      }
    }
    return result;
  });
}

}  // namespace linnet
