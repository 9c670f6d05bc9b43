#include <array>
#include <bit>

#include "gemm/nbits_product.h"
#include "graph/checks_contents.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

constexpr std::array kFloats{DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr std::array kZeros{DType::kUint8, DType::kFloat32, DType::kFloat16, DType::kBFloat16};

/// MatMulNBits: Y = A * B + bias, where B is stored in codes of few bits. Element (k, n) is (code - zero_point) * scale
/// of its block. A block is block_size rows of a column (a power of two, 16 or more); the last one is padded.
/// - K, N, block_size: required; bits: 2, 4 (default) or 8
/// - accuracy_level: with 4, rows of A are quantised to int8 block by block, and multiplied in integers; with 1 to 3,
///   products are in float32; with 0 (default), ModelOptions::fast_int4 decides. At level 4, a row with a value that is
///   not finite gives NaN.
/// - A: float32, float16 or bfloat16 [..., K]; Y: A's dtype [..., N]
/// - B: uint8 [N, blocks, block_size * bits / 8], low bits first
/// - scales: A's dtype, [N * blocks] or [N, blocks]
/// - zero_points (2^(bits - 1)): uint8 [N * ceil(blocks * bits / 8)], packed like B, or floats like scales
/// - g_idx (row / block_size): int32 [K], the block whose scale a row of B is multiplied by
/// - bias: [N]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
class MatMulNBits final : public Op, public ChecksContents {
 public:
  explicit MatMulNBits(const NodeSpec& node)
      : matrix_{node.attr<int64_t>("K"), node.attr<int64_t>("N"), int(node.attr_or("bits", 4)),
                node.attr<int64_t>("block_size")},
        level_(node.attr_or("accuracy_level", 0)) {
    const auto refuse = [](const char* name, const char* expected, int64_t got) {
      throw Error(ErrorKind::kModel, str(name, " must be ", expected, ", got ", got));
    };
    const int64_t bits = node.attr_or("bits", 4);
    if (matrix_.k < 1) refuse("K", "1 or more", matrix_.k);
    if (matrix_.n < 1) refuse("N", "1 or more", matrix_.n);
    if (bits != 2 && bits != 4 && bits != 8) refuse("bits", "2, 4 or 8", bits);
    if (matrix_.block_size < 16 || !std::has_single_bit(uint64_t(matrix_.block_size))) {
      refuse("block_size", "a power of two from 16 on", matrix_.block_size);
    }
    if (level_ < 0 || level_ > 4) refuse("accuracy_level", "0 to 4", level_);
    if (node.attr_or("weight_prepacked", 0) != 0) {
      throw Error(ErrorKind::kUnsupported, "weight_prepacked: B in the form of another machine");
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 6);
    require_dtype_in(in[0], kFloats, "input A");
    require_dtype(in[1], DType::kUint8, "input B");
    require_same_dtype(in[0], in[2], "inputs A and scales");
    const Fact zeros = has_input(in, 3) ? in[3] : Fact(), order = has_input(in, 4) ? in[4] : Fact();
    if (zeros.present()) require_dtype_in(zeros, kZeros, "input zero_points");
    if (order.present()) require_dtype(order, DType::kInt32, "input g_idx");
    check_nbits_parts(matrix_, in[1], in[2], zeros, order);
    if (has_input(in, 5)) check_bias(in[0], in[5]);
    require_rank_at_least(in[0], 1, "input A");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    Dims dims = *in[0].dims;
    merge_dim(dims.back(), Dim(matrix_.k), "the last dim of input A and K");
    dims.back() = Dim(matrix_.n);
    return {Fact(in[0].dtype, dims)};
  }

  void check_contents(std::span<const Fact> in) const override { check_nbits_scales(in[2].constant); }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(0)); }

  KernelPtr compile(const CompileInput& in) const override {
    return make_nbits_product({matrix_, multiplies_bytes(level_, in)}, in);
  }

 private:
  void check_bias(const Fact& a, const Fact& bias) const {
    require_same_dtype(a, bias, "inputs A and bias");
    require_rank(bias, 1, "input bias");
    if (bias.has_rank()) merge_dim(bias.dim(0), Dim(matrix_.n), "the length of input bias and N");
  }

  NBitsMatrix matrix_;
  int64_t level_;
};

}  // namespace

LINNET_REGISTER(matmul_nbits)(Registry& registry) {
  registry.add<MatMulNBits>("MatMulNBits", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet
