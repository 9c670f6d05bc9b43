#include <algorithm>
#include <array>

#include "gemm/byte_product_kernel.h"
#include "gemm/matmul_shape.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

constexpr std::array kBytes{DType::kInt8, DType::kUint8};

class MatMulIntegerKernel final : public ByteProductKernel {
 public:
  explicit MatMulIntegerKernel(const CompileInput& in) : ByteProductKernel(in, {}) {}

 private:
  void store(KernelContext& context, int64_t matrix, int64_t i, Span columns, const int32_t* sums) const override {
    const MatrixProduct& p = product();
    std::copy_n(sums, columns.size(), context.output(0).data<int32_t>() + (matrix * p.m + i) * p.n + columns.begin);
  }
};

/// MatMulInteger: Y = (A - a_zero_point) * (B - b_zero_point) as numpy.matmul; sums wrap modulo 2^32.
/// A: int8/uint8 [..., M, K].   B: int8/uint8 [..., K, N].   a_zero_point: A's dtype, one element, [M] or [..., M, 1];
/// 0.   b_zero_point: B's dtype, one element, [N] or [..., 1, N]; 0.   Y: int32 [..., M, N].
/// Source: https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
class MatMulInteger final : public Op {
 public:
  explicit MatMulInteger(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    for (size_t i = 0; i < 2; ++i) {
      const char* name = i == 0 ? "input A" : "input B";
      require_dtype_in(in[i], kBytes, name);
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
