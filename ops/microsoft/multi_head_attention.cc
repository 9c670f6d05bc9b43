#include "expansion/expanded_op.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/attention_mask.h"
#include "registration.h"

namespace linnet {
namespace {

/// MultiHeadAttention: softmax(scale * q * k^T + mask) * v for every head, where q, k and v include their parts of
/// bias. float16/bfloat16/float32.
/// - query: [batch, length, hidden]
/// - key, value: [batch, keys, hidden] and [batch, keys, v_hidden], or [batch, num_heads, keys, size], to which no bias
///   is added. Alternatively key holds both, [batch, keys, num_heads, 2, size], or query holds all three, [batch,
///   length, num_heads, 3, size].
/// - bias: [hidden + hidden + v_hidden]
/// - past_key, past_value: [batch, num_heads, past, size], prepended to the new ones
/// - past_sequence_length: int32, one element, the number of valid rows of past_key and past_value; the new rows are
///   written after them
/// - key_padding_mask: see attention_mask(); mask_filter_value (-10000) is added to the scores of excluded keys
/// - attention_bias: [batch or 1, num_heads or 1, length, all keys], added to the scores
/// - unidirectional: whether queries see no later keys; scale: 0 for 1 / sqrt(size)
/// - output: [batch, length, v_hidden]
/// - present_key, present_value: the past and the new ones
/// - qk: [batch, num_heads, length, all keys], the scores including biases and masks, -infinity for keys after the
///   query
/// cache_indirection throws Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MultiHeadAttention
/// DecoderMaskedMultiHeadAttention: the same with other positions of the inputs, for queries of length 1. beam_width is
/// 1, and caches have their rows in order.
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DecoderMaskedMultiHeadAttention
class MultiHeadAttention final : public ExpandedOp {
 public:
  explicit MultiHeadAttention(const NodeSpec& node)
      : ExpandedOp(node),
        is_decoder_(node.op_type == "DecoderMaskedMultiHeadAttention"),
        heads_(positive_attribute(node, "num_heads")),
        disallowed_(node.attr_or("mask_filter_value", -10000.0f)),
        attributes_{{"is_causal", node.attr_or("unidirectional", 0)}},
        outputs_(node.num_outputs) {
    if (const float scale = node.attr_or("scale", 0.0f); scale != 0) attributes_["scale"] = scale;
    if (outputs_ > 3) attributes_["qk_matmul_output_mode"] = int64_t{2};
  }

 private:
  enum Input { kQuery, kKey, kValue, kBias, kMask, kScoreBias, kPastKey, kPastValue, kPastLength, kIndirection };
  // The positions of these inputs in each of the two operators.
  static constexpr size_t kPlaces[2][10] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1, 2, 10, 3, 4, 5, 6, 7, 9}};

  size_t place(int i) const { return kPlaces[is_decoder_][i]; }
  ValueId in(const Expansion& graph, int i) const { return graph.in(place(i)); }
  bool has(const Expansion& graph, int i) const { return graph.has(place(i)); }
  const Fact& fact(const Expansion& graph, int i) const { return graph.facts()[place(i)]; }
  const char* mask_name() const { return is_decoder_ ? "mask_index" : "key_padding_mask"; }

  std::vector<ValueId> expand(Expansion& graph) const override {
    check(graph);
    if (!is_ready(graph)) {
      std::vector<ValueId> outputs;
      for (int i = 0; i < outputs_; ++i) outputs.push_back(graph.unknown(fact(graph, kQuery).dtype));
      return outputs;
    }
    AttentionParts parts = unpacked(graph);
    if (has(graph, kBias)) add_bias(graph, parts);
    parts.past_key = in(graph, kPastKey);
    parts.past_value = in(graph, kPastValue);
    const bool counts = has(graph, kPastLength) && has(graph, kPastKey);
    if (counts) parts.past_length = whole_number(graph, in(graph, kPastLength), "past_sequence_length");
    const ValueId past = counts                 ? parts.past_length
                         : has(graph, kPastKey) ? graph.dim(parts.past_key, 2)
                                                : graph.ints({0});
    const ValueId keys = graph.sum(past, graph.dim(parts.k, graph.fact(parts.k).rank() == 4 ? 2 : 1));
    parts.bias = sum_of_biases(graph, mask(graph, past, keys), in(graph, kScoreBias));
    std::vector<ValueId> y = attend(graph, parts, heads_, attributes_, outputs_);
    if (counts && outputs_ > 3) y[3] = graph.op("Slice", {y[3], graph.ints({0}), keys, graph.ints({3})});
    return y;
  }

  void check(const Expansion& graph) const {
    require_inputs(graph.facts(), 1, is_decoder_ ? 11 : 10);
    const Fact& query = fact(graph, kQuery);
    require_floating(query, "query");
    for (const int i : {kKey, kValue, kBias, kScoreBias, kPastKey, kPastValue}) {
      if (has(graph, i)) require_same_dtype(query, fact(graph, i), "query and the other inputs");
    }
    require_ranks(graph, kQuery, {3, 5}, "query");
    require_ranks(graph, kKey, {3, 4, 5}, "key");
    require_ranks(graph, kBias, {1}, "bias");
    require_ranks(graph, kMask, {1, 2, 3}, mask_name());
    require_ranks(graph, kScoreBias, {4}, "attention_bias");
    if (has(graph, kIndirection)) throw Error(ErrorKind::kUnsupported, "cache_indirection is not supported here");
    if (has(graph, kPastKey) != has(graph, kPastValue)) {
      throw Error(ErrorKind::kModel, "past_key and past_value must be given together");
    }
    for (const int i : {kPastKey, kPastValue}) require_ranks(graph, i, {4}, i == kPastKey ? "past_key" : "past_value");
    const bool all = query.has_rank() && query.rank() == 5;
    if (query.has_rank() && has(graph, kKey) == all) {
      throw Error(ErrorKind::kModel, all ? "key must not be given where query has rank 5" : "key must be given");
    }
    if (!has(graph, kKey) || !fact(graph, kKey).has_rank()) return;
    const int rank = fact(graph, kKey).rank();
    if (has(graph, kValue) == (rank == 5)) {
      throw Error(ErrorKind::kModel,
                  rank == 5 ? "value must not be given where key has rank 5" : "value must be given");
    }
    require_ranks(graph, kValue, {rank}, "value");
  }

  void require_ranks(const Expansion& graph, int i, std::initializer_list<int> ranks, const std::string& name) const {
    if (!has(graph, i) || !fact(graph, i).has_rank()) return;
    const Fact& given = fact(graph, i);
    if (std::find(ranks.begin(), ranks.end(), given.rank()) != ranks.end()) return;
    std::string expected;
    for (const int rank : ranks) expected += str(expected.empty() ? "" : " or ", rank);
    throw Error(ErrorKind::kShape, str(name, " must have rank ", expected, ", got ", given));
  }

  bool is_ready(const Expansion& graph) const {
    for (const int i : {kQuery, kKey, kValue, kBias, kPastKey, kPastValue}) {
      if (has(graph, i) && !fact(graph, i).has_rank()) return false;
    }
    if (!has(graph, kBias)) return true;
    return fact(graph, kQuery).dims->back().known() &&
           (!has(graph, kValue) || fact(graph, kValue).dims->back().known());
  }

  /// Query, key and value with heads side by side; keys and values may be [batch, heads, length, size] instead.
  AttentionParts unpacked(Expansion& graph) const {
    if (!has(graph, kKey)) {
      const std::vector<ValueId> all = unpacked(graph, kQuery, 3, "query");
      return {.q = all[0], .k = all[1], .v = all[2]};
    }
    if (fact(graph, kKey).rank() != 5) {
      return {.q = in(graph, kQuery), .k = in(graph, kKey), .v = in(graph, kValue)};
    }
    const std::vector<ValueId> both = unpacked(graph, kKey, 2, "key");
    return {.q = in(graph, kQuery), .k = both[0], .v = both[1]};
  }

  /// Splits [batch, length, num_heads, parts, size] into its parts.
  std::vector<ValueId> unpacked(Expansion& graph, Input input, int64_t parts, const std::string& name) const {
    const Fact& packed = fact(graph, input);
    merge_dim(heads_, packed.dim(2), "num_heads and dim 2 of " + name);
    merge_dim(parts, packed.dim(3), "what is packed and dim 3 of " + name);
    const Dim& size = packed.dim(4);
    const int64_t width = size.known() ? checked_mul(heads_, size.value()) : -1;
    std::vector<ValueId> found =
        graph.op("Split", {in(graph, input)}, int(parts), {{"axis", int64_t{3}}, {"num_outputs", parts}});
    for (ValueId& part : found) part = graph.reshape_keeping(part, {0, 0, width});
    return found;
  }

  /// Adds the parts of the bias. Keys and values of rank 4 have no projection, and so get none.
  void add_bias(Expansion& graph, AttentionParts& parts) const {
    const bool split = graph.fact(parts.k).rank() == 4;
    const auto width = [&](ValueId x) {
      const Fact& fact = graph.fact(x);
      return fact.rank() == 4 ? checked_mul(heads_, fact.dim(3).value()) : fact.dim(2).value();
    };
    const int64_t hidden = width(parts.q);
    const std::vector<ValueId> found =
        graph.op("Split", {in(graph, kBias), graph.ints({hidden, hidden, width(parts.v)})}, 3, {{"axis", int64_t{0}}});
    parts.q = graph.op("Add", {parts.q, found[0]});
    if (split) return;
    parts.k = graph.op("Add", {parts.k, found[1]});
    parts.v = graph.op("Add", {parts.v, found[2]});
  }

  ValueId mask(Expansion& graph, ValueId past, ValueId keys) const {
    if (!has(graph, kMask)) return kNoValue;
    return attention_mask(graph, {mask_name(), in(graph, kMask), in(graph, kQuery), past, keys, disallowed_});
  }

  bool is_decoder_;
  int64_t heads_;
  float disallowed_;
  Attributes attributes_;
  int outputs_;
};

}  // namespace

LINNET_REGISTER(multi_head_attention)(Registry& registry) {
  add_expanded<MultiHeadAttention>(registry, "MultiHeadAttention", {.domain = kMicrosoft});
  add_expanded<MultiHeadAttention>(registry, "DecoderMaskedMultiHeadAttention", {.domain = kMicrosoft});
}

}  // namespace linnet
