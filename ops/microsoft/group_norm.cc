#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "microsoft/output_activation.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// GroupNorm: Y = f(GroupNormalization(X)) with scale gamma and bias beta; f is x sigmoid(x) if activation is 1, and
/// the identity if it is 0. SkipGroupNorm: the same of S = X + skip + bias, which is its second output.
/// - X, Y, S: one of float16/bfloat16/float/double, [N, spatial axes, C], or [N, C, spatial axes] if channels_last is 0
/// - gamma, beta: [C], one floating dtype for both
/// - skip: X's shape, X's shape with dims of 1 for the spatial axes, or [N, C]
/// - bias: [C], may be omitted
/// - groups, activation: required; epsilon (1e-5), channels_last (1)
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupNorm,
/// #com.microsoft.SkipGroupNorm
class GroupNorm final : public ExpandedOp {
 public:
  explicit GroupNorm(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        skips_(node.op_type == "SkipGroupNorm"),
        last_(node.attr_or("channels_last", true)),
        activation_(node.attr<int64_t>("activation")),
        attributes_{{"num_groups", node.attr<int64_t>("groups")}, {"epsilon", node.attr_or("epsilon", 1e-5f)}} {
    if (activation_ != 0 && activation_ != 1) {
      throw Error(ErrorKind::kModel, str("activation must be 0 or 1, got ", activation_));
    }
  }

 private:
  enum Input { kX, kGamma, kBeta, kSkip, kBias };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), skips_ ? 4 : 3, skips_ ? 5 : 3);
    const Fact& x = graph.facts()[kX];
    require_floating(x, "X");
    require_floating(graph.facts()[kGamma], "gamma");
    require_rank_at_least(x, 3, "X");
    if (!x.has_rank()) return std::vector(skips_ ? 2 : 1, graph.unknown(x.dtype));
    const ValueId sum = skips_ ? summed(graph, x.rank()) : graph.in(kX);
    const ValueId y = normalized(graph, sum, x.rank());
    return skips_ ? std::vector{y, sum} : std::vector{y};
  }

  /// A value of [N, C] or [C] with dims of 1 for the spatial axes.
  ValueId spread(Expansion& graph, ValueId value, int rank) const {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < rank - 2; ++i) axes.push_back(last_ ? -2 - i : -1 - i);
    return graph.op("Unsqueeze", {value, graph.ints(axes)});
  }

  ValueId summed(Expansion& graph, int rank) const {
    const Fact& skip = graph.facts()[kSkip];
    if (!skip.has_rank()) return graph.unknown(graph.facts()[kX].dtype);
    if (skip.rank() != 2) require_rank(skip, rank, "skip");
    ValueId sum = graph.in(kX);
    if (graph.has(kBias)) {
      require_rank(graph.facts()[kBias], 1, "bias");
      sum = graph.op("Add", {sum, last_ ? graph.in(kBias) : spread(graph, graph.in(kBias), rank)});
    }
    return graph.op("Add", {sum, skip.rank() == 2 ? spread(graph, graph.in(kSkip), rank) : graph.in(kSkip)});
  }

  ValueId normalized(Expansion& graph, ValueId x, int rank) const {
    const DType given = graph.facts()[kX].dtype;
    const DType dtype = graph.facts()[kGamma].dtype == given ? given : DType::kFloat32;
    std::vector<ValueId> inputs{last_ ? channels_first(graph, x, rank) : x, graph.in(kGamma), graph.in(kBeta)};
    for (ValueId& input : inputs) input = in_dtype(graph, input, dtype);
    ValueId y = graph.op("GroupNormalization", inputs, attributes_);
    if (activation_ == 1) y = swish(graph, y);
    y = in_dtype(graph, y, given);
    return last_ ? channels_last(graph, y, rank) : y;
  }

  bool skips_, last_;
  int64_t activation_;
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(group_norm)(Registry& registry) {
  for (const char* name : {"GroupNorm", "SkipGroupNorm"}) {
    add_expanded<GroupNorm>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
