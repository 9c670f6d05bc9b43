#include "microsoft/quantized_tensor.h"
#include "microsoft/row_statistics.h"
#include "normalization/row_parameter.h"
#include "registration.h"

namespace linnet {
namespace {

/// SkipLayerNormalization: input_skip_bias_sum = input + bias + skip, output = LayerNormalization(sum) over the last
/// axis with scale gamma and bias beta. SkipSimplifiedLayerNormalization: output = RMSNormalization(sum), without beta.
/// - input, output, sum: float16/bfloat16/float/double [..., hidden]; skip: broadcast to input
/// - gamma, beta, bias: [hidden]; beta and bias may be omitted
/// - mean (0 for SkipSimplifiedLayerNormalization), inv_std_var: float32 [..., 1]
/// - epsilon (1e-12)
/// Sources:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipLayerNormalization,
/// #com.microsoft.SkipSimplifiedLayerNormalization
class SkipLayerNormalization final : public ExpandedOp {
 public:
  explicit SkipLayerNormalization(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        centered_(node.op_type == "SkipLayerNormalization"),
        epsilon_(node.attr_or("epsilon", 1e-12f)) {}

 private:
  enum Input { kInput, kSkip, kGamma };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, centered_ ? 5 : 4);
    require_floating(graph.facts()[kInput], "input");
    check_skip(graph);
    ValueId sum = graph.in(kInput);
    if (const size_t bias = centered_ ? 4 : 3; graph.has(bias)) {
      sum = graph.op("Add", {sum, parameter(graph, bias, "bias")});
    }
    sum = graph.op("Add", {sum, graph.in(kSkip)});
    const auto [mean, inverse] = row_statistics(graph, sum, {-1}, epsilon_, centered_, DType::kFloat32);
    return {normalized(graph, sum), centered_ ? mean : zeros(graph, inverse), inverse, sum};
  }

  static void check_skip(const Expansion& graph) {
    require_given(graph, kSkip, "skip");
    require_same_dtype(graph.facts()[kInput], graph.facts()[kSkip], "input and skip");
    require_broadcastable_to(graph.facts()[kSkip], graph.facts()[kInput], "skip");
  }

  /// A vector with one value for each element of a row.
  static ValueId parameter(const Expansion& graph, size_t i, const std::string& name) {
    require_given(graph, i, name);
    const Fact &input = graph.facts()[kInput], &fact = graph.facts()[i];
    require_same_dtype(input, fact, "input and " + name);
    require_rank(fact, 1, name);
    if (fact.has_rank() && input.has_rank() && input.rank() > 0) {
      merge_dim(input.dim(input.rank() - 1), fact.dim(0), "the last dim of input and the length of " + name);
    }
    return graph.in(i);
  }

  ValueId normalized(Expansion& graph, ValueId sum) const {
    std::vector<ValueId> inputs{sum, parameter(graph, kGamma, "gamma")};
    if (centered_ && graph.has(3)) inputs.push_back(parameter(graph, 3, "beta"));
    return graph.op(centered_ ? "LayerNormalization" : "RMSNormalization", inputs, {{"epsilon", epsilon_}});
  }

  static ValueId zeros(Expansion& graph, ValueId x) { return graph.op("ConstantOfShape", {graph.op("Shape", {x})}); }

  bool centered_;
  float epsilon_;
};

}  // namespace

LINNET_REGISTER(skip_layer_normalization)(Registry& registry) {
  for (const char* name : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
    add_expanded<SkipLayerNormalization>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
