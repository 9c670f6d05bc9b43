#include "infer/checked_values.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/attention_mask.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// Attention of com.microsoft: y = softmax(scale * q * k^T + mask) * v for every head. q, k and v are columns of input
/// * weights + bias: thirds, or parts of qkv_hidden_sizes, of which the first two are equal. float16/bfloat16/float32.
/// - input: [batch, length, size]; weights: [size, all hidden]; bias: [all hidden], may be omitted
/// - mask_index: see attention_mask(); mask_filter_value (-10000) is added to the scores of excluded keys
/// - attention_bias: [batch or 1, heads or 1, length, all keys], added to the scores
/// - past: [2, batch, heads, past, size of a head], keys and values that precede the new ones
/// - past_present_share_buffer: past_sequence_length, int32, one element, is the number of valid rows of past; the new
///   rows are written after them
/// - num_heads: required; unidirectional: whether queries see no later keys; scale: 0 for 1 / sqrt(size of a head)
/// - y: [batch, length, hidden of v]; present: the past and the new keys and values
/// do_rotary, and past or present with parts of different sizes, throw Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Attention
class ProjectedAttention final : public ExpandedOp {
 public:
  explicit ProjectedAttention(const NodeSpec& node)
      : ExpandedOp(node),
        heads_(positive_attribute(node, "num_heads")),
        widths_(node.attr_or("qkv_hidden_sizes", std::vector<int64_t>{})),
        shares_(node.attr_or("past_present_share_buffer", false)),
        disallowed_(node.attr_or("mask_filter_value", -10000.0f)),
        attributes_{{"is_causal", node.attr_or("unidirectional", 0)}},
        outputs_(node.num_outputs) {
    if (const float scale = node.attr_or("scale", 0.0f); scale != 0) attributes_["scale"] = scale;
    if (node.attr_or("do_rotary", false)) throw Error(ErrorKind::kUnsupported, "do_rotary is not supported here");
    for (const int64_t width : widths_) {
      if (widths_.size() == 3 && width > 0 && width % heads_ == 0 && widths_[0] == widths_[1]) continue;
      throw Error(ErrorKind::kModel, str("qkv_hidden_sizes must be three multiples of num_heads, the first two equal, "
                                         "got ",
                                         width, " among ", widths_.size()));
    }
  }

 private:
  enum Input { kInput, kWeights, kBias, kMask, kPast, kScoreBias, kPastLength };

  std::vector<ValueId> expand(Expansion& graph) const override {
    check(graph);
    const DType dtype = graph.facts()[kInput].dtype;
    ValueId sums = graph.op("MatMul", {graph.in(kInput), graph.in(kWeights)});
    if (graph.has(kBias)) sums = graph.op("Add", {sums, graph.in(kBias)});
    const bool knows_past = !graph.has(kPast) || graph.facts()[kPast].has_rank();
    if (!graph.fact(sums).has_rank() || !knows_past) {
      return outputs_ == 1 ? std::vector<ValueId>{graph.unknown(dtype)}
                           : std::vector<ValueId>{graph.unknown(dtype), graph.unknown(dtype)};
    }
    AttentionParts parts = divided(graph, sums);
    const bool counts = shares_ && graph.has(kPast);
    if (counts) parts.past_length = whole_number(graph, graph.in(kPastLength), "past_sequence_length");
    const ValueId past = counts             ? parts.past_length
                         : graph.has(kPast) ? graph.dim(graph.in(kPast), 3)
                                            : graph.ints({0});
    parts.bias = sum_of_biases(graph, mask(graph, past), graph.in(kScoreBias));
    return attend_with_state(graph, parts, graph.in(kPast), heads_, attributes_, outputs_);
  }

  void check(const Expansion& graph) const {
    require_inputs(graph.facts(), 2, 7);
    const Fact &input = graph.facts()[kInput], &weights = graph.facts()[kWeights];
    require_floating(input, "input");
    for (const int i : {kWeights, kBias, kPast, kScoreBias}) {
      if (graph.has(size_t(i))) require_same_dtype(input, graph.facts()[size_t(i)], "input and the other inputs");
    }
    require_rank(input, 3, "input");
    require_rank(weights, 2, "weights");
    if (graph.has(kBias)) require_rank(graph.facts()[kBias], 1, "bias");
    if (graph.has(kScoreBias)) require_rank(graph.facts()[kScoreBias], 4, "attention_bias");
    if (weights.has_rank()) check_columns(weights.dim(1));
    if (outputs_ > 1 && !widths_.empty() && widths_[0] != widths_[2]) {
      throw Error(ErrorKind::kModel, "qkv_hidden_sizes must be equal where there is a present");
    }
    if (!graph.has(kPast)) return;
    if (shares_) require_given(graph, kPastLength, "past_sequence_length");
    require_rank(graph.facts()[kPast], 5, "past");
    if (graph.facts()[kPast].has_rank()) merge_dim(graph.facts()[kPast].dim(0), 2, "past: keys and values");
  }

  void check_columns(const Dim& columns) const {
    if (!columns.known()) return;
    if (widths_.empty() && columns.value() % checked_mul(3, heads_) != 0) {
      throw Error(ErrorKind::kShape, str("the columns of weights must be a multiple of 3 * num_heads, got ", columns));
    }
    if (widths_.empty()) return;
    const int64_t all = checked_add(checked_mul(2, widths_[0]), widths_[2]);
    merge_dim(columns, all, "the columns of weights and the sum of qkv_hidden_sizes");
  }

  AttentionParts divided(Expansion& graph, ValueId sums) const {
    const Attributes axis{{"axis", int64_t{2}}}, thirds{{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}};
    const std::vector<ValueId> qkv = widths_.empty() ? graph.op("Split", {sums}, 3, thirds)
                                                     : graph.op("Split", {sums, graph.ints(widths_)}, 3, axis);
    return {.q = qkv[0], .k = qkv[1], .v = qkv[2]};
  }

  ValueId mask(Expansion& graph, ValueId past) const {
    if (!graph.has(kMask)) return kNoValue;
    const ValueId keys = graph.sum(past, graph.dim(graph.in(kInput), 1));
    return attention_mask(graph, {"mask_index", graph.in(kMask), graph.in(kInput), past, keys, disallowed_});
  }

  int64_t heads_;
  std::vector<int64_t> widths_;  // empty: thirds
  bool shares_;
  float disallowed_;
  Attributes attributes_;
  int outputs_;
};

}  // namespace

LINNET_REGISTER(projected_attention)(Registry& registry) {
  add_expanded<ProjectedAttention>(registry, "Attention", {.domain = kMicrosoft});
}

}  // namespace linnet
