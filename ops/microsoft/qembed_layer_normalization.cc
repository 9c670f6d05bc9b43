#include "infer/infer.h"
#include "microsoft/quantized.h"
#include "op_list.h"

namespace linnet {
namespace {

/// QEmbedLayerNormalization: y = LayerNormalization(word[input_ids] + position[0, 1 ...] + segment[segment_ids]) over
/// the last axis, of dequantised tables, gamma and beta; mask_index = how many elements of each row of the mask are 1,
/// 0 without a mask. input_ids, segment_ids, mask: int32 [batch, length], the last two may be omitted.   tables [rows,
/// hidden], the third omitted with segment_ids, gamma, beta [hidden]: int8/uint8, each with a float32 scale and a zero
/// point of its dtype of one element.   epsilon: 1e-12.   y: float32 [batch, length, hidden].   mask_index: int32
/// [batch]. Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QEmbedLayerNormalization
class QEmbedLayerNormalization final : public ExpandedOp {
 public:
  explicit QEmbedLayerNormalization(const NodeSpec& node)
      : ExpandedOp(node), epsilon_(node.attr_or("epsilon", 1e-12f)) {}

 private:
  /// Scales follow at kScales, zero points at kZeros, in the order kWord, kPosition, kSegment, kGamma, kBeta.
  enum Input { kIds, kSegmentIds, kWord, kPosition, kSegment, kGamma, kBeta, kMask, kScales, kZeros = 13 };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 18);
    require_ids(graph, kIds, "input_ids");
    if (!graph.facts()[kIds].has_rank()) return {graph.unknown(DType::kFloat32), graph.unknown(DType::kInt32)};
    const ValueId positions = graph.range(graph.dim(graph.in(kIds), 1));
    ValueId x = graph.op("Add", {rows(graph, kWord, graph.in(kIds), "word_embedding"),
                                 rows(graph, kPosition, positions, "position_embedding")});
    if (graph.has(kSegmentIds)) {
      require_ids(graph, kSegmentIds, "segment_ids");
      x = graph.op("Add", {x, rows(graph, kSegment, graph.in(kSegmentIds), "segment_embedding")});
    }
    const ValueId gamma = values(graph, kGamma, graph.in(kGamma), "gamma");
    const ValueId beta = values(graph, kBeta, graph.in(kBeta), "beta");
    return {graph.op("LayerNormalization", {x, gamma, beta}, {{"epsilon", epsilon_}}), mask_index(graph)};
  }

  static void require_ids(Expansion& graph, size_t input, const std::string& name) {
    require_given(graph, input, name);
    require_dtype(graph.facts()[input], DType::kInt32, name);
    require_rank(graph.facts()[input], 2, name);
  }

  /// `bytes`, of the dtype of this input, dequantised with its scale and zero point.
  static ValueId values(Expansion& graph, size_t input, ValueId bytes, const std::string& name) {
    const size_t scale = kScales + input - kWord, zero = kZeros + input - kWord;
    require_bytes(graph, input, name);
    check_scale(graph, scale, zero, graph.facts()[input].dtype, name);
    require_given(graph, zero, name + "_zero_point");
    return graph.op("DequantizeLinear", {bytes, graph.in(scale), graph.in(zero)});
  }

  static ValueId rows(Expansion& graph, size_t table, ValueId ids, const std::string& name) {
    require_given(graph, table, name);
    require_rank(graph.facts()[table], 2, name);
    return values(graph, table, graph.op("Gather", {graph.in(table), ids}), name);
  }

  static ValueId mask_index(Expansion& graph) {
    if (!graph.has(kMask)) {
      return graph.op("Expand", {graph.constant(Tensor::scalar<int32_t>(0)), graph.dim(graph.in(kIds), 0)});
    }
    require_ids(graph, kMask, "mask");
    const ValueId ones = graph.op("Equal", {graph.in(kMask), graph.constant(Tensor::scalar<int32_t>(1))});
    const ValueId axis = graph.ints({1});
    return graph.op("ReduceSum", {graph.cast(ones, DType::kInt32), axis}, {{"keepdims", int64_t{0}}});
  }

  float epsilon_;
};

}  // namespace

void register_qembed_layer_normalization(Registry& registry) {
  add_expanded<QEmbedLayerNormalization>(registry, "QEmbedLayerNormalization", {.domain = kMicrosoft});
}

}  // namespace linnet
