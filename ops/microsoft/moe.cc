#include <array>

#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/quantized.h"
#include "op_list.h"

namespace linnet {
namespace {

/// MoE: y = sum over the k experts e with the greatest p of p[e] * (fc2[e] * h(x) + its bias), for every token x, with
/// p = softmax(router_probs), normalize_routing_weights: divided by the sum of those k, and
/// h(x) = activation(fc1[e] * x + its bias), times fc3[e] * x + its bias where fc3 is given.
/// activation_type: relu, gelu (with tanh), silu, identity; swiglu: g * sigmoid(activation_alpha * g) * (l +
/// activation_beta), g at most swiglu_limit and l within -swiglu_limit and swiglu_limit, where it is given; g and l are
/// fc1's and fc3's products (swiglu_fusion 0), fc1's by turns (1), or the halves of fc1's (2).
/// input, output: float16/bfloat16/float32, [tokens, hidden] or [batch, length, hidden].   router_probs: [tokens,
/// experts].   weights of fc1, fc3: [experts, inner, hidden], of fc2: [experts, hidden, inner]; fused fc1 has 2 * inner
/// rows. Biases: [experts, rows], may be omitted. Refused: use_sparse_mixer, swiglu_limit_after_activation. Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MoE
class MoE final : public ExpandedOp {
 public:
  explicit MoE(const NodeSpec& node)
      : ExpandedOp(node),
        activation_(node.attr_or("activation_type", "relu")),
        k_(node.attr_or("k", 1)),
        fusion_(node.attr_or("swiglu_fusion", 0)),
        normalizes_(node.attr_or("normalize_routing_weights", false)),
        alpha_(node.attr_or("activation_alpha", 1.0f)),
        beta_(node.attr_or("activation_beta", 0.0f)) {
    if (const float* limit = node.find<float>("swiglu_limit")) limit_ = *limit;
    if (k_ <= 0) throw Error(ErrorKind::kModel, str("k must be positive, got ", k_));
    if (fusion_ < 0 || fusion_ > 2)
      throw Error(ErrorKind::kModel, str("swiglu_fusion must be 0, 1 or 2, got ", fusion_));
    constexpr std::array kActivations{"relu", "gelu", "silu", "swiglu", "identity"};
    if (std::find(kActivations.begin(), kActivations.end(), activation_) == kActivations.end()) {
      throw Error(ErrorKind::kModel,
                  str("activation_type must be relu, gelu, silu, swiglu or identity, got '", activation_, "'"));
    }
    for (const char* name : {"use_sparse_mixer", "swiglu_limit_after_activation"}) {
      if (node.attr_or(name, false)) throw Error(ErrorKind::kUnsupported, str(name, " is not supported here"));
    }
  }

 private:
  enum Input { kInput, kRouter, kFc1, kFc1Bias, kFc2, kFc2Bias, kFc3, kFc3Bias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    check(graph);
    const Fact& input = graph.facts()[kInput];
    if (!input.has_rank() || !input.dims->back().known()) return {graph.unknown(input.dtype)};
    const int64_t hidden = input.dims->back().value();
    const ValueId x = graph.reshape_keeping(graph.in(kInput), {-1, hidden});
    const ValueId all = graph.op("Softmax", {graph.in(kRouter)}, {{"axis", int64_t{1}}});
    const std::vector<ValueId> top = graph.op("TopK", {all, graph.ints({k_})}, 2, {{"axis", int64_t{1}}});
    const ValueId experts = graph.reshape_keeping(top[1], {-1});
    ValueId h = product(graph, x, experts, kFc1);
    h = activated(graph, h, graph.has(kFc3) ? product(graph, x, experts, kFc3) : kNoValue);
    const ValueId each = graph.reshape_keeping(product(graph, h, experts, kFc2), {-1, k_, hidden});
    const ValueId shares = graph.op("Unsqueeze", {this->shares(graph, top[0]), graph.ints({1})});
    const ValueId y = graph.op("Squeeze", {graph.op("MatMul", {shares, each}), graph.ints({1})});
    return {graph.op("Reshape", {y, graph.op("Shape", {graph.in(kInput)})}, {{"allowzero", int64_t{1}}})};
  }

  void check(const Expansion& graph) const {
    require_inputs(graph.facts(), 3, 8);
    require_given(graph, kFc2, "fc2_experts_weights");
    const Fact& input = graph.facts()[kInput];
    require_floating(input, "input");
    for (size_t i = 1; i < graph.facts().size(); ++i) {
      if (graph.has(i)) require_same_dtype(input, graph.facts()[i], "all inputs");
    }
    if (input.has_rank() && input.rank() != 2 && input.rank() != 3) {
      throw Error(ErrorKind::kShape, str("input must have rank 2 or 3, got ", input));
    }
    const Fact &router = graph.facts()[kRouter], &fc1 = graph.facts()[kFc1];
    require_rank(router, 2, "router_probs");
    require_rank(fc1, 3, "fc1_experts_weights");
    require_rank(graph.facts()[kFc2], 3, "fc2_experts_weights");
    if (router.has_rank() && fc1.has_rank()) {
      merge_dim(router.dim(1), fc1.dim(0), "the experts of router_probs and fc1_experts_weights");
    }
    const bool needs_fc3 = activation_ == "swiglu" && fusion_ == 0;
    if (needs_fc3) require_given(graph, kFc3, "fc3_experts_weights");
    if (activation_ == "swiglu" && fusion_ > 0 && graph.has(kFc3)) {
      throw Error(ErrorKind::kModel, "fc3_experts_weights must not be given where swiglu_fusion is not 0");
    }
  }

  static ValueId product(Expansion& graph, ValueId x, ValueId experts, size_t weights) {
    return internal_op(graph, "ExpertMatMul", {x, experts, graph.in(weights), graph.in(weights + 1)}, 1)[0];
  }

  /// The weights of the experts that were chosen.
  ValueId shares(Expansion& graph, ValueId top) const {
    if (!normalizes_) return top;
    return graph.op("Div", {top, graph.op("ReduceSum", {top, graph.ints({1})})});
  }

  ValueId number(Expansion& graph, float value) const {
    return graph.cast(graph.scalar(value), graph.facts()[kInput].dtype);
  }

  ValueId activated(Expansion& graph, ValueId h, ValueId gate) const {
    if (activation_ == "swiglu") return swiglu(graph, h, gate);
    if (activation_ == "relu") h = graph.op("Relu", {h});
    if (activation_ == "gelu") h = graph.op("Gelu", {h}, {{"approximate", std::string("tanh")}});
    if (activation_ == "silu") h = graph.op("Mul", {h, graph.op("Sigmoid", {h})});
    return gate == kNoValue ? h : graph.op("Mul", {h, gate});
  }

  ValueId swiglu(Expansion& graph, ValueId g, ValueId l) const {
    if (fusion_ == 1) {
      const ValueId pairs = graph.reshape_keeping(g, {0, -1, 2});
      const std::vector<ValueId> parts =
          graph.op("Split", {pairs}, 2, {{"axis", int64_t{2}}, {"num_outputs", int64_t{2}}});
      g = graph.op("Squeeze", {parts[0], graph.ints({2})});
      l = graph.op("Squeeze", {parts[1], graph.ints({2})});
    } else if (fusion_ == 2) {
      const std::vector<ValueId> parts = graph.op("Split", {g}, 2, {{"axis", int64_t{1}}, {"num_outputs", int64_t{2}}});
      g = parts[0];
      l = parts[1];
    }
    if (limit_) {
      g = graph.op("Clip", {g, kNoValue, number(graph, *limit_)});
      l = graph.op("Clip", {l, number(graph, -*limit_), number(graph, *limit_)});
    }
    const ValueId gate = graph.op("Sigmoid", {graph.op("Mul", {g, number(graph, alpha_)})});
    return graph.op("Mul", {graph.op("Mul", {g, gate}), graph.op("Add", {l, number(graph, beta_)})});
  }

  std::string activation_;
  int64_t k_, fusion_;
  bool normalizes_;
  float alpha_, beta_;
  std::optional<float> limit_;
};

}  // namespace

void register_moe(Registry& registry) { add_expanded<MoE>(registry, "MoE", {.domain = kMicrosoft}); }

}  // namespace linnet
