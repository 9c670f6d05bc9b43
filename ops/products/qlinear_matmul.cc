#include <array>

#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "quantization/parameter.h"
#include "quantization/requantize.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

constexpr std::array kTypes{DType::kInt8,           DType::kUint8,      DType::kFloat8E4M3FN,
                            DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ};

/// QLinearMatMul: y = saturate(round(a * b / y_scale) + y_zero_point) of the dequantised operands, like numpy.matmul.
/// Ties are rounded to even; a float8 y is rounded into the type. Integer sums wrap modulo 2^32.
/// a [..., M, K], b [..., K, N], y [..., M, N]: int8/uint8/float8 (from opset 21 on). Each has a zero point of its
/// dtype and a float/float16/bfloat16 scale: one element, or [M] or [..., M, 1] for a and y, or [N] or [..., 1, N] for
/// b. One of the two may have one element where the other has more, as in ONNX Runtime.
/// Source: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
class QLinearMatMul final : public ExpandedOp {
 public:
  explicit QLinearMatMul(const NodeSpec& node) : ExpandedOp(node, Precision::kFloat32) {}

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(kA)); }

 private:
  enum Input { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

  std::vector<ValueId> expand(Expansion& graph) const override {
    const std::span<const Fact> in = graph.facts();
    check_inputs(in);
    if (!in[kA].has_rank() || !in[kB].has_rank()) return {graph.unknown(in[kYZero].dtype)};
    const bool row = in[kA].rank() == 1, column = in[kB].rank() == 1;
    const ValueId a = row ? graph.reshape(graph.in(kA), {1, -1}) : graph.in(kA);
    const ValueId b = column ? graph.reshape(graph.in(kB), {-1, 1}) : graph.in(kB);
    const ValueId sums = products(graph, a, b);
    check_shapes(in, graph.fact(a), graph.fact(b), graph.fact(sums));
    ValueId y = requantized(graph, sums, factor(graph), parameter(graph, kYZero, ParameterAxis::kRow));
    std::vector<int64_t> added;
    if (row) added.push_back(-2);
    if (column) added.push_back(-1);
    if (!added.empty()) y = graph.op("Squeeze", {y, graph.ints(added)});
    return {y};
  }

  static void check_inputs(std::span<const Fact> in) {
    require_inputs(in, 8, 8);
    for (const size_t i : {kA, kB}) {
      const char* name = i == kA ? "a" : "b";
      require_dtype_in(in[i], kTypes, name);
      require_rank_at_least(in[i], 1, name);
      check_parameters(in[i], in[i + 1], in[i + 2], name);
    }
    require_dtype_in(in[kYZero], kTypes, "y_zero_point");
    check_parameters(Fact(), in[kYScale], in[kYZero], "y");
  }

  /// Checks the shapes of scales and zero points where they are known. a, b, y: the facts of the matrices.
  static void check_shapes(std::span<const Fact> in, const Fact& a, const Fact& b, const Fact& y) {
    const auto check = [&](const Fact& matrices, size_t i, ParameterAxis axis, const char* name) {
      if (matrices.concrete() && in[i].concrete()) parameter_index(matrices.shape(), in[i].shape(), axis, name);
    };
    check(a, kAZero, ParameterAxis::kRow, "a_zero_point");
    check(b, kBZero, ParameterAxis::kColumn, "b_zero_point");
    check(a, kAScale, ParameterAxis::kRow, "a_scale");
    check(b, kBScale, ParameterAxis::kColumn, "b_scale");
    check(y, kYScale, ParameterAxis::kRow, "y_scale");
    check(y, kYZero, ParameterAxis::kRow, "y_zero_point");
  }

  static ValueId products(Expansion& graph, ValueId a, ValueId b) {
    if (is_integer(graph.fact(a).dtype) && is_integer(graph.fact(b).dtype)) {
      return graph.op("MatMulInteger", {a, b, graph.in(kAZero), graph.in(kBZero)});
    }
    const auto shifted = [&](ValueId x, size_t zero, ParameterAxis axis) {
      const ValueId shift = graph.cast(parameter(graph, zero, axis), DType::kFloat64);
      return graph.op("Sub", {graph.cast(x, DType::kFloat64), shift});
    };
    return graph.op("MatMul", {shifted(a, kAZero, ParameterAxis::kRow), shifted(b, kBZero, ParameterAxis::kColumn)});
  }

  static ValueId factor(Expansion& graph) {
    const auto scale = [&](size_t i, ParameterAxis axis) {
      return graph.cast(parameter(graph, i, axis), DType::kFloat32);
    };
    const ValueId of_sums =
        graph.op("Mul", {scale(kAScale, ParameterAxis::kRow), scale(kBScale, ParameterAxis::kColumn)});
    return graph.op("Div", {of_sums, scale(kYScale, ParameterAxis::kRow)});
  }

  /// Returns a scale or zero point in a shape that broadcasts to the matrices. If a needed shape is unknown, waits for
  /// it.
  static ValueId parameter(Expansion& graph, size_t input, ParameterAxis axis) {
    const Fact& fact = graph.facts()[input];
    const ValueId value = graph.in(input);
    if (holds_one(fact)) return graph.reshape(value, {1});
    if (!fact.has_rank() || (fact.rank() > 1 && !fact.concrete())) graph.wait();
    return axis == ParameterAxis::kRow && fact.has_rank() && fact.rank() == 1 ? graph.reshape(value, {-1, 1}) : value;
  }
};

}  // namespace

LINNET_REGISTER(qlinear_matmul)(Registry& registry) {
  add_expanded<QLinearMatMul>(registry, "QLinearMatMul", {.since = 10});
}

}  // namespace linnet
