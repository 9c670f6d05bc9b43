#include <algorithm>
#include <variant>

#include "gemm/byte_operands.h"
#include "gemm/matmul_shape.h"
#include "gemm/matrix_product.h"
#include "gemm/quantized_gemm.h"
#include "gemm/widened_products.h"
#include "infer/infer.h"
#include "kernels/byte_rows.h"
#include "kernels/kernels_for.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

enum Input { kA, kB, kAZero, kBZero };

ParameterIndex zero_index(const CompileInput& in, int input, int zero, ParameterAxis axis, const char* name) {
  return in.has(zero) ? parameter_index(in.shape(input), in.shape(zero), axis, name) : ParameterIndex();
}

ByteMatrices b_matrices(const CompileInput& in, const MatrixProduct& p) {
  ByteMatrices b{.input = kB, .zero_input = kBZero, .count = p.b_count};
  b.matrix = {.depth = p.k, .columns = p.n, .depth_stride = p.n, .column_stride = 1};
  b.zero = zero_index(in, kB, kBZero, ParameterAxis::kColumn, "b_zero_point");
  return b;
}

GemmSizes sizes_of(const CompileInput& in, const MatrixProduct& p, size_t row_scratch_bytes) {
  return {.rows = p.m,
          .columns = p.n,
          .depth = p.k,
          .workers = in.executor().workers(),
          .row_scratch_bytes = row_scratch_bytes};
}

bool multiplies_operand_bytes(const CompileInput& in) {
  const bool one_zero = !in.has(kAZero) || in.shape(kAZero).elements() == 1;
  return in.dtype(kA) == DType::kUint8 && one_zero && subtracts_nothing(in, kB, kBZero) && multiplies_bytes(in, kB);
}

std::variant<WidenedProducts, QuantizedGemm<GemmU8>> make_products(const CompileInput& in, const MatrixProduct& p) {
  if (!multiplies_operand_bytes(in)) {
    return WidenedProducts(in, sizes_of(in, p, ByteRows::scratch_bytes(p.k)), b_matrices(in, p));
  }
  const GemmWeights<int8_t> matrix{.depth = p.k, .columns = p.n, .depth_stride = p.n, .column_stride = 1};
  return QuantizedGemm<GemmU8>(in, sizes_of(in, p, MatrixRows<uint8_t>::scratch_bytes(p.k, p.k)),
                               QuantizedMatrices::of(in, kB), matrix, p.b_count);
}

/// Computes the sums of (a - a_zero) * (b - b_zero) over k, modulo 2^32, of int8 or uint8 matrices. Bytes are
/// multiplied directly where a is uint8 with one zero point, nothing is subtracted from b as int8, and the processor
/// supports it. Otherwise both are widened to 16 bits.
class MatMulIntegerKernel final : public Kernel {
 public:
  explicit MatMulIntegerKernel(const CompileInput& in);

  void run(KernelContext& context) const override;
  size_t scratch_bytes() const override {
    return std::visit([](const auto& products) { return products.scratch_bytes(); }, products_);
  }
  bool reads(int input) const override {
    return input != kB || !std::visit([](const auto& products) { return products.packed(); }, products_);
  }
  std::string describe() const override {
    return std::visit([](const auto& products) { return products.describe(); }, products_);
  }

 private:
  MatrixProduct product_;
  ParameterIndex a_zero_;
  std::variant<WidenedProducts, QuantizedGemm<GemmU8>> products_;
  WidenFunction widen_;
};

MatMulIntegerKernel::MatMulIntegerKernel(const CompileInput& in)
    : product_(matmul_product(in.shape(kA), in.shape(kB))),
      a_zero_(zero_index(in, kA, kAZero, ParameterAxis::kRow, "a_zero_point")),
      products_(make_products(in, product_)),
      widen_(kernels_for<ByteRowKernels>(in.isa()).widen) {}

void MatMulIntegerKernel::run(KernelContext& context) const {
  const MatrixProduct& p = product_;
  auto* y = context.output(0).data<int32_t>();
  const Bytes a(context.input(kA), context.input(kAZero));
  const auto matrix = [&](int64_t i) { return p.b_index[size_t(i)]; };
  const auto take = [&](int64_t i, const Span& lines, const Span& columns, const int32_t* sums) {
    for (int64_t line = lines.begin; line < lines.end; ++line, sums += columns.size()) {
      std::copy_n(sums, columns.size(), y + (i * p.m + line) * p.n + columns.begin);
    }
  };
  if (const auto* bytes = std::get_if<QuantizedGemm<GemmU8>>(&products_)) {
    const auto rows = [&](int64_t i) { return MatrixRows<uint8_t>(a.values + p.a_index[size_t(i)] * p.m * p.k, p.k); };
    return bytes->run(context, p.batch(), matrix, a.zero(0), nullptr, rows, take);
  }
  const auto rows = [&](int64_t i) { return ByteRows(a, widen_, a_zero_, p.a_index[size_t(i)], p.m, p.k); };
  std::get<WidenedProducts>(products_).run(context, p.batch(), rows, matrix, take);
}

/// MatMulInteger: Y = (A - a_zero_point) * (B - b_zero_point) like numpy.matmul. Sums wrap modulo 2^32.
/// A: int8/uint8 [..., M, K]. B: int8/uint8 [..., K, N]. a_zero_point: A's dtype, one element, [M] or [..., M, 1]; 0 if
/// absent. b_zero_point: B's dtype, one element, [N] or [..., 1, N]; 0 if absent. Y: int32 [..., M, N].
/// Source: https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
class MatMulInteger final : public Op {
 public:
  explicit MatMulInteger(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    for (size_t i = 0; i < 2; ++i) {
      const char* name = i == 0 ? "input A" : "input B";
      require_dtype_in(in[i], kByteTypes, name);
      require_rank_at_least(in[i], 1, name);
      if (has_input(in, int(i) + 2)) require_same_dtype(in[i], in[i + 2], str(name, " and its zero point"));
    }
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(DType::kInt32, std::nullopt)};
    return {Fact(DType::kInt32, matmul_dims(*in[0].dims, *in[1].dims))};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(0)); }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<MatMulIntegerKernel>(in); }
};

}  // namespace

LINNET_REGISTER(matmul_integer)(Registry& registry) { registry.add<MatMulInteger>("MatMulInteger", {.since = 10}); }

}  // namespace linnet
