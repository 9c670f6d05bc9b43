#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/output_activation.h"
#include "registration.h"

namespace linnet {
namespace {

/// FusedGemm: Y = f(Gemm(A, B, C)), with f of OutputActivation::of_attributes. A, B, C, Y and the other attributes are
/// as for Gemm.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedGemm
class FusedGemm final : public ExpandedOp {
 public:
  explicit FusedGemm(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        activation_(OutputActivation::of_attributes(node)),
        attributes_(node.attributes) {
    std::erase_if(attributes_, [](const auto& entry) { return entry.first.starts_with("activation"); });
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 3);
    std::vector<ValueId> inputs{graph.in(0), graph.in(1)};
    if (graph.has(2)) inputs.push_back(graph.in(2));
    return {activation_.applied(graph, graph.op("Gemm", inputs, attributes_))};
  }

  OutputActivation activation_;
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(fused_gemm)(Registry& registry) {
  add_expanded<FusedGemm>(registry, "FusedGemm", {.domain = kMicrosoft});
}

}  // namespace linnet
