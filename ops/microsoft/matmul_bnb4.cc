#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "microsoft/quantized.h"
#include "op_list.h"
#include "partition/parts.h"

namespace linnet {
namespace {

/// The values of the 16 codes, in units of the largest magnitude of a block, as bitsandbytes defines them: FP4 has a
/// sign, two bits of exponent and one of fraction, NF4 the quantiles of the normal distribution.
/// Source: https://arxiv.org/abs/2305.14314
constexpr std::array kFp4{0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                          -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr std::array kNf4{-1.0f,          -0.6961928010f, -0.5250730515f, -0.3949174881f,
                          -0.2844413817f, -0.1847734302f, -0.0910500363f, 0.0f,
                          0.0795802996f,  0.1609302014f,  0.2461123019f,  0.3379152417f,
                          0.4407098293f,  0.5626170039f,  0.7229568362f,  1.0f};

/// MatMulBnb4: Y = A * W^T, or A * W with transB 0, as numpy.matmul, for W [N, K] of 4-bit codes of a table, FP4
/// (quant_type 0) or NF4 (1), times the absmax of each block of block_size elements in the order of memory.
/// A: float16/bfloat16/float32 [..., K], or [..., N] with transB 0.   B: uint8, N * K / 2 elements rounded up, the
/// first code of each in the high bits.   absmax: A's dtype, N * K / block_size elements rounded up.   Y: A's dtype.
/// training_mode: not read.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulBnb4
class MatMulBnb4 final : public ExpandedOp {
 public:
  explicit MatMulBnb4(const NodeSpec& node)
      : ExpandedOp(node),
        n_(positive(node, "N")),
        k_(positive(node, "K")),
        block_(positive(node, "block_size")),
        elements_(checked_mul(n_, k_)),
        type_(node.attr<int64_t>("quant_type")),
        transposed_(node.attr_or("transB", true)) {
    if (type_ != 0 && type_ != 1) throw Error(ErrorKind::kModel, str("quant_type must be 0 or 1, got ", type_));
  }

 private:
  enum Input { kA, kB, kAbsmax };

  static int64_t positive(const NodeSpec& node, const char* name) {
    const auto value = node.attr<int64_t>(name);
    if (value <= 0) throw Error(ErrorKind::kModel, str(name, " must be positive, got ", value));
    return value;
  }

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 3);
    const DType dtype = graph.facts()[kA].dtype;
    require_floating(graph.facts()[kA], "A");
    require_dtype(graph.facts()[kB], DType::kUint8, "B");
    require_dtype(graph.facts()[kAbsmax], dtype, "absmax");
    check_count(graph.facts()[kB], ceil_div(elements_, 2), "B");
    check_count(graph.facts()[kAbsmax], ceil_div(elements_, block_), "absmax");
    const ValueId w = graph.op("Mul", {codes(graph, dtype), scales(graph)});
    const ValueId matrix = graph.reshape(w, {n_, k_});
    return {graph.op("MatMul", {graph.in(kA), transposed_ ? graph.transpose(matrix, {1, 0}) : matrix})};
  }

  static void check_count(const Fact& fact, int64_t count, const char* name) {
    if (fact.concrete() && fact.shape().elements() != count) {
      throw Error(ErrorKind::kShape, str(name, " must have ", count, " elements for N, K and block_size, got ", fact));
    }
  }

  /// The first elements_ of a vector.
  ValueId first(Expansion& graph, ValueId x) const {
    return graph.op("Slice", {x, graph.ints({0}), graph.ints({elements_}), graph.ints({0})});
  }

  ValueId codes(Expansion& graph, DType dtype) const {
    const ValueId bytes = graph.reshape(graph.in(kB), {-1, 1});
    const ValueId four = graph.constant(Tensor::scalar<uint8_t>(4)), mask = graph.constant(Tensor::scalar<uint8_t>(15));
    const ValueId high = graph.op("BitShift", {bytes, four}, {{"direction", std::string("RIGHT")}});
    const ValueId low = graph.op("BitwiseAnd", {bytes, mask});
    const ValueId pairs = graph.op("Concat", {high, low}, {{"axis", int64_t{1}}});
    const ValueId indices = graph.cast(first(graph, graph.reshape(pairs, {-1})), DType::kInt32);
    const auto& values = type_ == 0 ? kFp4 : kNf4;
    const ValueId table = graph.constant(Tensor::of<float>({values.begin(), values.end()}));
    return graph.op("Gather", {graph.cast(table, dtype), indices});
  }

  ValueId scales(Expansion& graph) const {
    const ValueId each = graph.reshape(graph.in(kAbsmax), {-1, 1});
    const int64_t length = std::min(block_, elements_);
    const ValueId repeated = graph.op("Expand", {each, graph.ints({ceil_div(elements_, block_), length})});
    return first(graph, graph.reshape(repeated, {-1}));
  }

  int64_t n_, k_, block_, elements_, type_;
  bool transposed_;
};

}  // namespace

void register_matmul_bnb4(Registry& registry) {
  add_expanded<MatMulBnb4>(registry, "MatMulBnb4", {.domain = kMicrosoft});
}

}  // namespace linnet
