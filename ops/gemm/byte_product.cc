#include "gemm/byte_product.h"

#include <algorithm>

#include "gemm/integer_product.h"
#include "gemm/matmul_shape.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

template <class T>
void transpose_widening(const T* from, int64_t rows, int64_t columns, int16_t* to) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) to[j * rows + i] = int16_t(from[i * columns + j]);
  }
}

}  // namespace

ByteProductKernel::ByteProductKernel(const CompileInput& in, const ByteOperands& operands)
    : operands_(operands),
      product_(matmul_product(in.shape(operands.a), in.shape(operands.b))),
      has_a_zero_(in.has(operands.a_zero)),
      has_b_zero_(in.has(operands.b_zero)) {
  if (has_a_zero_) {
    a_zero_ = parameter_index(in.shape(operands.a), in.shape(operands.a_zero), ParameterAxis::kRow, "a_zero_point");
  }
  if (has_b_zero_) {
    b_zero_ = parameter_index(in.shape(operands.b), in.shape(operands.b_zero), ParameterAxis::kColumn, "b_zero_point");
  }
  if (const Tensor* b = in.constant(operands.b)) {
    packed_b_ = in.packed(*b, {"transposed int16"}, [&] {
      Tensor packed(DType::kInt16, Shape{b_elements()});
      widen_b(*b, packed.data<int16_t>());
      return packed;
    });
  }
}

size_t ByteProductKernel::scratch_bytes() const {
  const size_t rows = aligned(dtype_bytes(DType::kInt16, checked_mul(kIntegerRows, product_.k))) +
                      dtype_bytes(DType::kInt32, checked_mul(kIntegerRows, product_.n));
  return rows + (packed_b_ ? 0 : aligned(dtype_bytes(DType::kInt16, b_elements())));
}

void ByteProductKernel::widen_b(const Tensor& b, int16_t* wide) const {
  const int64_t size = product_.k * product_.n;
  for (int64_t m = 0; m < product_.b_count; ++m) {
    if (b.dtype() == DType::kInt8) {
      transpose_widening(b.data<int8_t>() + m * size, product_.k, product_.n, wide + m * size);
    } else {
      transpose_widening(b.data<uint8_t>() + m * size, product_.k, product_.n, wide + m * size);
    }
  }
}

void ByteProductKernel::run(KernelContext& context) const {
  const size_t offset = packed_b_ ? 0 : aligned(dtype_bytes(DType::kInt16, b_elements()));
  if (!packed_b_) widen_b(context.input(operands_.b), reinterpret_cast<int16_t*>(context.scratch()));
  const int16_t* b = packed_b_ ? packed_b_.data<int16_t>() : reinterpret_cast<const int16_t*>(context.scratch());
  const int64_t tiles = ceil_div(product_.m, kIntegerRows);
  context.executor().parallel_for(product_.batch() * tiles, [&](int64_t tile, int worker) {
    const int64_t first = tile % tiles * kIntegerRows;
    run_rows(context, tile / tiles, first, std::min(kIntegerRows, product_.m - first), b,
             context.scratch(worker) + offset);
  });
}

void ByteProductKernel::run_rows(KernelContext& context, int64_t matrix, int64_t first, int64_t rows, const int16_t* b,
                                 std::byte* scratch) const {
  const MatrixProduct& p = product_;
  auto* tile = reinterpret_cast<int16_t*>(scratch);
  auto* sums = reinterpret_cast<int32_t*>(scratch + aligned(dtype_bytes(DType::kInt16, kIntegerRows * p.k)));
  const Tensor& a = context.input(operands_.a);
  const int64_t a_matrix = p.a_index[size_t(matrix)];
  int32_t a_sums[kIntegerRows];
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = first + r, offset = (a_matrix * p.m + i) * p.k;
    const int32_t zero = has_a_zero_ ? byte_at(context.input(operands_.a_zero), a_zero_.at(a_matrix, i, 0)) : 0;
    a_sums[r] = a.dtype() == DType::kInt8 ? widen(a.data<int8_t>() + offset, p.k, zero, tile + r * p.k)
                                          : widen(a.data<uint8_t>() + offset, p.k, zero, tile + r * p.k);
  }
  dot_products(tile, rows, b + p.b_index[size_t(matrix)] * p.k * p.n, p.n, p.k, sums);
  for (int64_t r = 0; r < rows; ++r) {
    subtract_zeros(context, matrix, a_sums[r], sums + r * p.n);
    store(context, matrix, first + r, sums + r * p.n);
  }
}

void ByteProductKernel::subtract_zeros(KernelContext& context, int64_t matrix, int32_t a_sum, int32_t* sums) const {
  if (!has_b_zero_) return;
  const Tensor& zeros = context.input(operands_.b_zero);
  const int64_t b_matrix = product_.b_index[size_t(matrix)];
  for (int64_t j = 0; j < product_.n; ++j) {
    sums[j] = wrapped_sub(sums[j], wrapped_mul(a_sum, byte_at(zeros, b_zero_.at(b_matrix, 0, j))));
  }
}

}  // namespace linnet
