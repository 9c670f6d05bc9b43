#include "gemm/matmul_shape.h"

#include <algorithm>

#include "infer/infer.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

/// Returns, for each output matrix of a batched product, the matrix that it uses of an operand with these batch dims.
CountedVector<int64_t> batch_index(const Shape& batch, const Shape& operand) {
  CountedVector<int64_t> index{0};
  int64_t matrices = 1;
  for (int i = 0; i < operand.rank(); ++i) matrices *= operand[i];
  for (int axis = 0; axis < batch.rank(); ++axis) {
    const int own = axis - (batch.rank() - operand.rank());
    const int64_t extent = own < 0 ? 1 : operand[own];
    if (own >= 0 && extent > 0) matrices /= extent;
    CountedVector<int64_t> next;
    for (const int64_t base : index) {
      for (int64_t i = 0; i < batch[axis]; ++i) next.push_back(base + (extent == 1 ? 0 : i * matrices));
    }
    index = std::move(next);
  }
  return index;
}

Dims batch_dims(const Dims& dims) { return Dims(dims.begin(), dims.end() - std::min<ptrdiff_t>(2, std::ssize(dims))); }

}  // namespace

Dims matmul_dims(const Dims& a, const Dims& b) {
  const Dim& b_depth = b[b.size() - std::min<size_t>(2, b.size())];
  merge_dim(a.back(), b_depth, "the last dim of A and the last but one of B");
  Dims y = *broadcast_dims(batch_dims(a), batch_dims(b));
  if (a.size() > 1) y.push_back(a[a.size() - 2]);
  if (b.size() > 1) y.push_back(b.back());
  return y;
}

Shape batch_shape(const Shape& shape) { return Shape(shape.dims().first(size_t(std::max(0, shape.rank() - 2)))); }

MatrixProduct matmul_product(const Shape& a, const Shape& b) {
  MatrixProduct product;
  product.k = a[a.rank() - 1];
  product.m = a.rank() == 1 ? 1 : a[a.rank() - 2];
  product.n = b.rank() == 1 ? 1 : b[b.rank() - 1];
  const Shape a_batch = batch_shape(a), b_batch = batch_shape(b);
  product.b_count = b_batch.elements();
  const Dims dims = *broadcast_dims(Dims(a_batch.begin(), a_batch.end()), Dims(b_batch.begin(), b_batch.end()));
  const Shape batch = Fact(DType::kFloat32, dims).shape();
  product.a_index = batch_index(batch, a_batch);
  product.b_index = batch_index(batch, b_batch);
  return product;
}

}  // namespace linnet
