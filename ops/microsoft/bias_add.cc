#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// BiasAdd: Y = X + bias + skip.
/// - X, skip, Y: float16/bfloat16/float/double [batch, length, channels], one dtype for all
/// - bias: [channels]
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.BiasAdd
class BiasAdd final : public ExpandedOp {
 public:
  explicit BiasAdd(const NodeSpec& node) : ExpandedOp(node, Precision::kFloat32) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    const std::span<const Fact> facts = graph.facts();
    require_inputs(facts, 3, 3);
    require_floating(facts[0], "X");
    require_rank(facts[0], 3, "X");
    require_rank(facts[1], 1, "bias");
    require_rank(facts[2], 3, "skip");
    if (facts[0].has_rank() && facts[1].has_rank()) {
      merge_dim(facts[0].dim(2), facts[1].dim(0), "the channels of X and the length of bias");
    }
    for (int i = 0; facts[0].has_rank() && facts[2].has_rank() && i < 3; ++i) {
      merge_dim(facts[0].dim(i), facts[2].dim(i), str("dim ", i, " of X and of skip"));
    }
    return {graph.op("Add", {graph.op("Add", {graph.in(0), graph.in(1)}), graph.in(2)})};
  }
};

}  // namespace

LINNET_REGISTER(bias_add)(Registry& registry) { add_expanded<BiasAdd>(registry, "BiasAdd", {.domain = kMicrosoft}); }

}  // namespace linnet
