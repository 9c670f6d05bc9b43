#include <algorithm>
#include <array>

#include "expansion/expanded_op.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// The values of the 16 codes, in units of the largest magnitude of a block, as bitsandbytes defines them. FP4 has a
/// sign, two bits of exponent and one of fraction; NF4 has the quantiles of the normal distribution.
/// Source: https://arxiv.org/abs/2305.14314
constexpr std::array kFp4{0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                          -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr std::array kNf4{-1.0f,          -0.6961928010f, -0.5250730515f, -0.3949174881f,
                          -0.2844413817f, -0.1847734302f, -0.0910500363f, 0.0f,
                          0.0795802996f,  0.1609302014f,  0.2461123019f,  0.3379152417f,
                          0.4407098293f,  0.5626170039f,  0.7229568362f,  1.0f};

/// The attributes N, K, block_size and quant_type of MatMulBnb4.
struct BlockCodes {
  int64_t n, k, block, type;

  explicit BlockCodes(const NodeSpec& node)
      : n(positive_attribute(node, "N")),
        k(positive_attribute(node, "K")),
        block(positive_attribute(node, "block_size")),
        type(node.attr<int64_t>("quant_type")) {
    if (type != 0 && type != 1) throw Error(ErrorKind::kModel, str("quant_type must be 0 or 1, got ", type));
  }
  int64_t elements() const { return checked_mul(n, k); }
  float value(int code) const { return (type == 0 ? kFp4 : kNf4)[size_t(code)]; }
};

class DequantizeBnb4Kernel final : public Kernel {
 public:
  explicit DequantizeBnb4Kernel(const BlockCodes& codes) : codes_(codes) {
    for (int byte = 0; byte < 256; ++byte) pairs_[size_t(byte)] = {codes.value(byte >> 4), codes.value(byte & 15)};
  }

  void run(KernelContext& context) const override {
    const uint8_t* codes = context.input(0).data<uint8_t>();
    const float* absmax = context.input(1).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), codes_.elements(), 1, [&](int64_t i, int64_t end, int) {
      while (i < end) {
        const int64_t block = i / codes_.block, last = i + std::min(end - i, codes_.block - i % codes_.block);
        widen(codes, i, last, absmax[block], y);
        i = last;
      }
    });
  }

 private:
  using Pair = std::array<float, 2>;

  /// Widens elements [i, end), which share a scale.
  void widen(const uint8_t* codes, int64_t i, int64_t end, float scale, float* y) const {
    if (i < end && i % 2 == 1) y[i] = pairs_[codes[i / 2]][1] * scale, ++i;
    for (; i + 2 <= end; i += 2) {
      const Pair& pair = pairs_[codes[i / 2]];
      y[i] = pair[0] * scale;
      y[i + 1] = pair[1] * scale;
    }
    if (i < end) y[i] = pairs_[codes[i / 2]][0] * scale;
  }

  BlockCodes codes_;
  std::array<Pair, 256> pairs_;  ///< the two values of each byte
};

/// DequantizeBnb4, of the internal domain: computes the matrix W of MatMulBnb4 from its inputs B and absmax.
/// - B: uint8; absmax: float32, float16 or bfloat16; y: absmax's dtype, [N, K]
class DequantizeBnb4 final : public Op {
 public:
  explicit DequantizeBnb4(const NodeSpec& node) : codes_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kUint8, "B");
    require_dtype_in(in[1], kScales, "absmax");
    check_count(in[0], ceil_div(codes_.elements(), 2), "B");
    check_count(in[1], ceil_div(codes_.elements(), codes_.block), "absmax");
    return {Fact(in[1].dtype, Shape{codes_.n, codes_.k})};
  }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<DequantizeBnb4Kernel>(codes_); }

 private:
  static constexpr std::array kScales{DType::kFloat32, DType::kFloat16, DType::kBFloat16};

  static void check_count(const Fact& fact, int64_t count, const char* name) {
    if (fact.concrete() && fact.shape().elements() != count) {
      throw Error(ErrorKind::kShape, str(name, " must have ", count, " elements for N, K and block_size, got ", fact));
    }
  }

  BlockCodes codes_;
};

/// MatMulBnb4: Y = A * W^T, or A * W if transB is 0, as numpy.matmul. W [N, K] consists of 4-bit codes of a table, FP4
/// (quant_type 0) or NF4 (1), times the absmax of each block of block_size elements in memory order.
/// - A: float16/bfloat16/float32 [..., K], or [..., N] if transB is 0
/// - B: uint8, N * K / 2 elements rounded up, with the first code of each in the high bits
/// - absmax: A's dtype, N * K / block_size elements rounded up
/// - Y: A's dtype
/// - training_mode: ignored
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulBnb4
class MatMulBnb4 final : public ExpandedOp {
 public:
  explicit MatMulBnb4(const NodeSpec& node)
      : ExpandedOp(node), codes_(node), transposed_(node.attr_or("transB", true)) {}

 private:
  enum Input { kA, kB, kAbsmax };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 3);
    const Fact& a = graph.facts()[kA];
    require_floating(a, "A");
    require_dtype(graph.facts()[kAbsmax], a.dtype, "absmax");
    NodeSpec spec;
    spec.op_type = "DequantizeBnb4";
    spec.domain = kInternalDomain;
    spec.attributes = {{"N", codes_.n}, {"K", codes_.k}, {"block_size", codes_.block}, {"quant_type", codes_.type}};
    const ValueId w = graph.node(std::move(spec), {graph.in(kB), graph.in(kAbsmax)}, 1)[0];
    if (!transposed_) return {graph.op("MatMul", {graph.in(kA), w})};
    if (!a.has_rank() || a.rank() != 2) return {graph.op("MatMul", {graph.in(kA), graph.transpose(w, {1, 0})})};
    return {graph.op("Gemm", {graph.in(kA), w}, {{"transB", int64_t{1}}})};
  }

  BlockCodes codes_;
  bool transposed_;
};

}  // namespace

LINNET_REGISTER(matmul_bnb4)(Registry& registry) {
  add_expanded<MatMulBnb4>(registry, "MatMulBnb4", {.domain = kMicrosoft});
  registry.add<DequantizeBnb4>("DequantizeBnb4", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
