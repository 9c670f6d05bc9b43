#include "infer/infer.h"
#include "microsoft/output_activation.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// x, plus the bias at input 1 if it is given, a vector with one value per element of a row.
ValueId with_bias(Expansion& graph) {
  const std::span<const Fact> facts = graph.facts();
  require_given(graph, 0, "X");
  require_floating(facts[0], "X");
  if (!graph.has(1)) return graph.in(0);
  require_same_dtype(facts[0], facts[1], "X and bias");
  require_rank(facts[1], 1, "bias");
  if (facts[0].has_rank() && facts[0].rank() > 0 && facts[1].has_rank()) {
    merge_dim(facts[0].dim(facts[0].rank() - 1), facts[1].dim(0), "the last dim of X and the length of bias");
  }
  return graph.op("Add", {graph.in(0), graph.in(1)});
}

/// Gelu: y = x / 2 (1 + erf(x / sqrt 2)). BiasGelu: Gelu of x + bias. FastGelu: x / 2 (1 + tanh(0.797885 x + 0.035677
/// x^3)) of x + bias, where bias may be omitted.
/// - x, y: float16/bfloat16/float/double [..., n]; bias: [n]
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Gelu,
/// #com.microsoft.BiasGelu, #com.microsoft.FastGelu
class MicrosoftGelu final : public ExpandedOp {
 public:
  explicit MicrosoftGelu(const NodeSpec& node) : ExpandedOp(node, Precision::kFloat32), op_type_(node.op_type) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), op_type_ == "BiasGelu" ? 2 : 1, op_type_ == "Gelu" ? 1 : 2);
    const char* form = op_type_ == "FastGelu" ? "tanh" : "none";
    return {graph.op("Gelu", {with_bias(graph)}, {{"approximate", std::string(form)}})};
  }

  std::string op_type_;
};

/// QuickGelu: y = x sigmoid(alpha x).
/// - x, y: float16/bfloat16/float/double
/// - alpha (1.702)
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuickGelu
class QuickGelu final : public ExpandedOp {
 public:
  explicit QuickGelu(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32), alpha_(node.attr_or("alpha", 1.702f)) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    require_floating(graph.facts()[0], "X");
    return {swish(graph, graph.in(0), alpha_)};
  }

  float alpha_;
};

/// BiasSplitGelu: y = left * Gelu(right) of the two halves of the rows of x + bias.
/// - x: float16/bfloat16/float/double [..., 2 n]; bias: [2 n]; y: [..., n]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.BiasSplitGelu
class BiasSplitGelu final : public ExpandedOp {
 public:
  explicit BiasSplitGelu(const NodeSpec& node) : ExpandedOp(node, Precision::kFloat32) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    const ValueId x = with_bias(graph);
    require_even(graph.fact(x));
    const auto halves = graph.op("Split", {x}, 2, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}});
    return {graph.op("Mul", {halves[0], graph.op("Gelu", {halves[1]})})};
  }

  static void require_even(const Fact& x) {
    if (!x.has_rank() || x.rank() == 0) return;
    const Dim& last = x.dim(x.rank() - 1);
    if (last.known() && last.value() % 2 != 0) {
      throw Error(ErrorKind::kShape, str("the last dim of X must be even, got ", x));
    }
  }
};

}  // namespace

LINNET_REGISTER(microsoft_gelu)(Registry& registry) {
  for (const char* name : {"Gelu", "BiasGelu", "FastGelu"}) {
    add_expanded<MicrosoftGelu>(registry, name, {.domain = kMicrosoft});
  }
  add_expanded<QuickGelu>(registry, "QuickGelu", {.domain = kMicrosoft});
  add_expanded<BiasSplitGelu>(registry, "BiasSplitGelu", {.domain = kMicrosoft});
}

}  // namespace linnet
