#include "expansion/expanded_op.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "microsoft/row_statistics.h"
#include "registration.h"

namespace linnet {
namespace {

/// Operators that ONNX Runtime defines in the default domain:
/// - LayerNormalization before opset 17: Y = (X - mean) / sqrt(variance + epsilon) * Scale + B, with mean and variance
///   over the dims from the axis on
/// - SimplifiedLayerNormalization of any opset, here also in com.microsoft: Y = X / sqrt(mean of X^2 + epsilon) * Scale
/// Their inputs, outputs and attributes:
/// - X: float16/bfloat16/float/double
/// - Scale, B, Y: float16/bfloat16/float/double, one dtype for all, broadcast to X; B may be omitted
/// - Mean, InvStdDev: the shape of X with 1 for the normalised dims, of dtype stash_type (float or double);
///   SimplifiedLayerNormalization has no Mean
/// - axis (-1), epsilon (1e-5)
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class EarlyLayerNormalization final : public ExpandedOp {
 public:
  explicit EarlyLayerNormalization(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        centered_(node.op_type == "LayerNormalization"),
        axis_(node.attr_or("axis", -1)),
        epsilon_(node.attr_or("epsilon", 1e-5f)),
        stash_type_(dtype_attribute(node, "stash_type", DType::kFloat32)) {
    if (stash_type_ == DType::kUndefined) stash_type_ = DType::kFloat32;
    if (stash_type_ != DType::kFloat32 && stash_type_ != DType::kFloat64) {
      throw Error(ErrorKind::kModel, str("stash_type must be float32 or float64, got ", stash_type_));
    }
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, centered_ ? 3 : 2);
    const std::span<const Fact> facts = graph.facts();
    require_floating(facts[0], "X");
    require_floating(facts[1], "Scale");
    if (graph.has(2)) require_same_dtype(facts[1], facts[2], "Scale and B");
    std::vector<ValueId> outputs = statistics(graph);
    outputs.insert(outputs.begin(), normalized(graph));
    return outputs;
  }

  /// Normalises in the dtype of all inputs, or in one that can represent all of theirs.
  ValueId normalized(Expansion& graph) const {
    const DType x = graph.facts()[0].dtype, y = graph.facts()[1].dtype;
    const bool is_double = x == DType::kFloat64 || y == DType::kFloat64;
    const DType dtype = x == y ? x : is_double ? DType::kFloat64 : DType::kFloat32;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < 3 && graph.has(i); ++i) inputs.push_back(in_dtype(graph, graph.in(i), dtype));
    const Attributes attributes{{"axis", axis_}, {"epsilon", epsilon_}};
    return in_dtype(graph, graph.op(centered_ ? "LayerNormalization" : "RMSNormalization", inputs, attributes), y);
  }

  std::vector<ValueId> statistics(Expansion& graph) const {
    const Fact& x = graph.facts()[0];
    if (axis_ >= 0 && !x.has_rank()) {
      const ValueId open = graph.unknown(stash_type_);
      return centered_ ? std::vector{open, open} : std::vector{open};
    }
    std::vector<int64_t> axes;
    const int rank = x.has_rank() ? x.rank() : kMaxRank;
    const int64_t first = normalize_axis(axis_, rank) - rank;
    for (int64_t axis = first; axis < 0; ++axis) axes.push_back(axis);
    const auto [mean, inverse] = row_statistics(graph, graph.in(0), axes, epsilon_, centered_, stash_type_);
    return centered_ ? std::vector{mean, inverse} : std::vector{inverse};
  }

  bool centered_;
  int64_t axis_;
  float epsilon_;
  DType stash_type_;
};

}  // namespace

LINNET_REGISTER(early_layer_normalization)(Registry& registry) {
  add_expanded<EarlyLayerNormalization>(registry, "LayerNormalization", {.since = 1});
  for (const char* domain : {"", kMicrosoft}) {
    add_expanded<EarlyLayerNormalization>(registry, "SimplifiedLayerNormalization", {.domain = domain});
  }
}

}  // namespace linnet
