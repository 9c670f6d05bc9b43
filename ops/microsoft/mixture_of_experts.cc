#include "microsoft/mixture_of_experts.h"

#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"

namespace linnet {

MixtureOfExperts::MixtureOfExperts(const NodeSpec& node)
    : ExpandedOp(node),
      activation_(node.attr_or("activation_type", "relu")),
      k_(node.attr_or("k", 1)),
      fusion_(node.attr_or("swiglu_fusion", 0)),
      normalizes_(node.attr_or("normalize_routing_weights", false)),
      alpha_(node.attr_or("activation_alpha", 1.0f)),
      beta_(node.attr_or("activation_beta", 0.0f)) {
  if (const float* limit = node.find<float>("swiglu_limit")) limit_ = *limit;
  if (k_ <= 0) throw Error(ErrorKind::kModel, str("k must be positive, got ", k_));
  if (fusion_ < 0 || fusion_ > 2) {
    throw Error(ErrorKind::kModel, str("swiglu_fusion must be 0, 1 or 2, got ", fusion_));
  }
  constexpr std::array kActivations{"relu", "gelu", "silu", "swiglu", "identity"};
  if (std::ranges::find(kActivations, activation_) == kActivations.end()) {
    throw Error(ErrorKind::kModel,
                str("activation_type must be relu, gelu, silu, swiglu or identity, got '", activation_, "'"));
  }
  for (const char* name : {"use_sparse_mixer", "swiglu_limit_after_activation"}) {
    if (node.attr_or(name, false)) throw Error(ErrorKind::kUnsupported, str(name, " is not supported here"));
  }
}

void MixtureOfExperts::check_layers(const Expansion& graph) const {
  const size_t fc1 = weights(Layer::kFc1), fc2 = weights(Layer::kFc2), fc3 = weights(Layer::kFc3);
  require_given(graph, fc1, "fc1_experts_weights");
  require_given(graph, fc2, "fc2_experts_weights");
  const auto facts = graph.facts();
  if (facts[kInput].has_rank() && facts[kInput].rank() != 2 && facts[kInput].rank() != 3) {
    throw Error(ErrorKind::kShape, str("input must have rank 2 or 3, got ", facts[kInput]));
  }
  require_rank(facts[kRouter], 2, "router_probs");
  require_rank(facts[fc1], 3, "fc1_experts_weights");
  require_rank(facts[fc2], 3, "fc2_experts_weights");
  if (facts[kRouter].has_rank() && facts[fc1].has_rank()) {
    merge_dim(facts[kRouter].dim(1), facts[fc1].dim(0), "the experts of router_probs and fc1_experts_weights");
  }
  if (activation_ != "swiglu") return;
  if (fusion_ == 0) require_given(graph, fc3, "fc3_experts_weights");
  if (fusion_ > 0 && graph.has(fc3)) {
    throw Error(ErrorKind::kModel, "fc3_experts_weights must not be given where swiglu_fusion is not 0");
  }
}

std::vector<ValueId> MixtureOfExperts::expand(Expansion& graph) const {
  check(graph);
  const Fact& input = graph.facts()[kInput];
  if (!input.has_rank() || !input.dims->back().known()) return {graph.unknown(input.dtype)};
  const int64_t hidden = input.dims->back().value();
  const DType wide = this->wide(input.dtype);
  const ValueId x = graph.reshape_keeping(graph.cast(graph.in(kInput), wide), {-1, hidden});
  const ValueId all = graph.op("Softmax", {graph.cast(graph.in(kRouter), wide)}, {{"axis", int64_t{1}}});
  const std::vector<ValueId> top = graph.op("TopK", {all, graph.ints({k_})}, 2, {{"axis", int64_t{1}}});
  const ValueId experts = graph.reshape_keeping(top[1], {-1});
  const ValueId h = product(graph, x, experts, Layer::kFc1);
  const ValueId gate = graph.has(weights(Layer::kFc3)) ? product(graph, x, experts, Layer::kFc3) : kNoValue;
  const ValueId y = product(graph, activated(graph, h, gate), experts, Layer::kFc2);
  const ValueId each = graph.reshape_keeping(y, {-1, k_, hidden});
  const ValueId rows = graph.op("Unsqueeze", {shares(graph, top[0], top[1]), graph.ints({1})});
  const ValueId sum = graph.op("Squeeze", {graph.op("MatMul", {rows, each}), graph.ints({1})});
  const ValueId shape = graph.op("Shape", {graph.in(kInput)});
  return {graph.cast(graph.op("Reshape", {sum, shape}, {{"allowzero", int64_t{1}}}), input.dtype)};
}

ValueId MixtureOfExperts::normalized(Expansion& graph, ValueId rows) {
  return graph.op("Div", {rows, graph.op("ReduceSum", {rows, graph.ints({1})})});
}

ValueId MixtureOfExperts::activated(Expansion& graph, ValueId h, ValueId gate) const {
  if (activation_ == "swiglu") return swiglu(graph, h, gate);
  if (activation_ == "relu") h = graph.op("Relu", {h});
  if (activation_ == "gelu") h = graph.op("Gelu", {h}, {{"approximate", std::string("tanh")}});
  if (activation_ == "silu") h = graph.op("Mul", {h, graph.op("Sigmoid", {h})});
  return gate == kNoValue ? h : graph.op("Mul", {h, gate});
}

ValueId MixtureOfExperts::swiglu(Expansion& graph, ValueId g, ValueId l) const {
  const auto number = [&](float value) { return graph.cast(graph.scalar(value), graph.fact(g).dtype); };
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
    g = graph.op("Clip", {g, kNoValue, number(*limit_)});
    l = graph.op("Clip", {l, number(-*limit_), number(*limit_)});
  }
  const ValueId gate = graph.op("Sigmoid", {graph.op("Mul", {g, number(alpha_)})});
  return graph.op("Mul", {graph.op("Mul", {g, gate}), graph.op("Add", {l, number(beta_)})});
}

}  // namespace linnet
