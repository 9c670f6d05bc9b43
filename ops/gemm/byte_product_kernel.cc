#include "gemm/byte_product_kernel.h"

#include "gemm/matmul_shape.h"
#include "kernels/byte_rows.h"
#include "kernels/kernels_for.h"

namespace linnet {
namespace {

ParameterIndex zero_index(const CompileInput& in, int input, int zero, ParameterAxis axis, const char* name) {
  return in.has(zero) ? parameter_index(in.shape(input), in.shape(zero), axis, name) : ParameterIndex();
}

ByteMatrices b_matrices(const CompileInput& in, const ByteOperands& operands, const MatrixProduct& p) {
  ByteMatrices b{.input = operands.b, .zero_input = operands.b_zero, .count = p.b_count};
  b.matrix = {.depth = p.k, .columns = p.n, .depth_stride = p.n, .column_stride = 1};
  b.zero = zero_index(in, operands.b, operands.b_zero, ParameterAxis::kColumn, "b_zero_point");
  return b;
}

GemmSizes sizes_of(const CompileInput& in, const MatrixProduct& p, size_t row_scratch_bytes) {
  return {.rows = p.m,
          .columns = p.n,
          .depth = p.k,
          .workers = in.executor().workers(),
          .row_scratch_bytes = row_scratch_bytes};
}

bool multiplies_bytes(const CompileInput& in, const ByteOperands& operands) {
  const bool one_zero = !in.has(operands.a_zero) || in.shape(operands.a_zero).elements() == 1;
  return in.dtype(operands.a) == DType::kUint8 && one_zero && subtracts_nothing(in, operands.b, operands.b_zero) &&
         multiplies_bytes(in, operands.b);
}

std::variant<WidenedProducts, QuantizedGemm<GemmU8>> make_products(const CompileInput& in, const ByteOperands& operands,
                                                                   const MatrixProduct& p) {
  if (!multiplies_bytes(in, operands)) {
    return WidenedProducts(in, sizes_of(in, p, ByteRows::scratch_bytes(p.k)), b_matrices(in, operands, p));
  }
  const GemmWeights<int8_t> matrix{.depth = p.k, .columns = p.n, .depth_stride = p.n, .column_stride = 1};
  return QuantizedGemm<GemmU8>(in, sizes_of(in, p, MatrixRows<uint8_t>::scratch_bytes(p.k, p.k)),
                               QuantizedMatrices::of(in, operands.b), matrix, p.b_count);
}

}  // namespace

ByteProductKernel::ByteProductKernel(const CompileInput& in, const ByteOperands& operands)
    : operands_(operands),
      product_(matmul_product(in.shape(operands.a), in.shape(operands.b))),
      a_zero_(zero_index(in, operands.a, operands.a_zero, ParameterAxis::kRow, "a_zero_point")),
      products_(make_products(in, operands, product_)),
      widen_(kernels_for<ByteRowKernels>(in.isa()).widen) {}

void ByteProductKernel::run(KernelContext& context) const {
  const MatrixProduct& p = product_;
  const Bytes a(context.input(operands_.a), context.input(operands_.a_zero));
  const auto matrix = [&](int64_t i) { return p.b_index[size_t(i)]; };
  const auto take = [&](int64_t i, const Span& lines, const Span& columns, const int32_t* sums) {
    for (int64_t line = lines.begin; line < lines.end; ++line, sums += columns.size()) {
      store(context, i, line, columns, sums);
    }
  };
  if (const auto* bytes = std::get_if<QuantizedGemm<GemmU8>>(&products_)) {
    const auto rows = [&](int64_t i) { return MatrixRows<uint8_t>(a.values + p.a_index[size_t(i)] * p.m * p.k, p.k); };
    return bytes->run(context, p.batch(), matrix, a.zero(0), nullptr, rows, take);
  }
  const auto rows = [&](int64_t i) { return ByteRows(a, widen_, a_zero_, p.a_index[size_t(i)], p.m, p.k); };
  std::get<WidenedProducts>(products_).run(context, p.batch(), rows, matrix, take);
}

}  // namespace linnet
