#include <array>

#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/mixture_of_experts.h"
#include "registration.h"

namespace linnet {
namespace {

/// MoE: see MixtureOfExperts. The shares are softmax(router_probs) of the chosen experts, with
/// normalize_routing_weights divided by their sum.
/// - input, output: float16/bfloat16/float32, [tokens, hidden] or [batch, length, hidden]
/// - router_probs: [tokens, experts]
/// - weights of fc1 and fc3: [experts, inner, hidden], of fc2: [experts, hidden, inner]; a fused fc1 has 2 * inner rows
/// - biases: [experts, rows], may be omitted
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MoE
class MoE final : public MixtureOfExperts {
 public:
  explicit MoE(const NodeSpec& node) : MixtureOfExperts(node) {}

 private:
  size_t weights(Layer layer) const override { return std::array{2, 4, 6}[size_t(layer)]; }
  DType wide(DType dtype) const override { return dtype; }

  void check(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 8);
    check_layers(graph);
    require_floating(graph.facts()[kInput], "input");
    for (size_t i = 1; i < graph.facts().size(); ++i) {
      if (graph.has(i)) require_same_dtype(graph.facts()[kInput], graph.facts()[i], "all inputs");
    }
  }

  ValueId product(Expansion& graph, ValueId x, ValueId experts, Layer layer) const override {
    const size_t w = weights(layer);
    return internal_op(graph, "ExpertMatMul", {x, experts, graph.in(w), graph.in(w + 1)}, 1)[0];
  }

  ValueId shares(Expansion& graph, ValueId probabilities, ValueId) const override {
    return normalizes() ? normalized(graph, probabilities) : probabilities;
  }
};

}  // namespace

LINNET_REGISTER(moe)(Registry& registry) { add_expanded<MoE>(registry, "MoE", {.domain = kMicrosoft}); }

}  // namespace linnet
