#include "infer/checked_values.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// GroupQueryAttention: attention of query heads in groups that share a key-value head. It writes the new keys and
/// values into a cache. float16/bfloat16/float32.
/// - query: [batch, length, num_heads * size]
/// - key, value: [batch, length, kv_num_heads * size]; without them, query holds all three side by side
/// - past_key, past_value: [batch, kv_num_heads, past, size]
/// - seqlens_k: int32 [batch], the number of tokens of a sample including the new ones, minus one
/// - total_sequence_length: int32, one element, at least as many tokens as any sample has
/// - query_seqlens: int32 [batch], how many of the first rows of each sample are tokens; default all, or as many as
///   exist
/// - present_key, present_value: [batch, kv_num_heads, max(past, total_sequence_length), size]. New rows follow those
///   before, so that a cache of full capacity keeps its shape. Rows after the tokens are unchanged, of padding, or 0.
/// - output: the results of padding are undefined
/// Query row i of a sample is at the position of its number of earlier tokens plus i, and sees keys up to there.
/// - local_window_size (-1: all): the number of keys that a query sees, up to its position
/// - causal: with 0, queries see all keys of the sample
/// - scale: 0 for 1 / sqrt(size); softcap: see Attention
/// - attention_bias: [batch or 1, num_heads or 1, length, total_sequence_length], added to the scores
/// - head_sink: [num_heads], an additional score in each softmax of the head; smooth_softmax: these are 0 for all heads
/// - do_rotary, rotary_interleaved: query and key are rotated by cos_cache and sin_cache, [positions, rotated / 2], at
///   their positions or at position_ids, int64 [batch, length]
/// - q_norm_weight, k_norm_weight: [size]. Before rotation, every head of query and key is divided by its root mean
///   square, with qk_norm_epsilon (1e-6), q_norm_epsilon or k_norm_epsilon.
/// - output_qk: [batch, num_heads, length, total_sequence_length], the scores (qk_output 1; 0 where hidden) or
///   probabilities (qk_output 2)
/// Lengths are checked in each run. Quantised caches and sliding_window_cache throw Error(kUnsupported).
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
class GroupQueryAttention final : public ExpandedOp {
 public:
  explicit GroupQueryAttention(const NodeSpec& node)
      : ExpandedOp(node),
        heads_(positive_attribute(node, "num_heads")),
        kv_heads_(positive_attribute(node, "kv_num_heads")),
        rotates_(node.attr_or("do_rotary", false)),
        smooth_(node.attr_or("smooth_softmax", -1) == 1),
        interleaved_(node.attr_or("rotary_interleaved", 0)),
        qk_output_(node.attr_or("qk_output", 0)),
        epsilons_{epsilon(node, "q_norm_epsilon"), epsilon(node, "k_norm_epsilon")} {
    if (heads_ % kv_heads_ != 0) {
      throw Error(ErrorKind::kModel,
                  str("num_heads must be a multiple of kv_num_heads, got ", heads_, " and ", kv_heads_));
    }
    if (qk_output_ < 0 || qk_output_ > 2) {
      throw Error(ErrorKind::kModel, str("qk_output must be 0, 1 or 2, got ", qk_output_));
    }
    const bool quantized =
        node.attr_or("k_quant_type", "NONE") != "NONE" || node.attr_or("v_quant_type", "NONE") != "NONE";
    if (quantized) throw Error(ErrorKind::kUnsupported, "quantised caches are not supported here");
    if (node.attr_or("sliding_window_cache", false)) {
      throw Error(ErrorKind::kUnsupported, "sliding_window_cache is not supported here");
    }
    set_attributes(node);
  }

 private:
  enum Input {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kLast,
    kTotal,
    kCos,
    kSin,
    kPositions,
    kBias,
    kSink,
    kKeyScale,
    kValueScale,
    kQueryNorm,
    kKeyNorm,
    kNew
  };
  struct Heads {
    ValueId q, k, v;
  };

  static float epsilon(const NodeSpec& node, const char* name) {
    const float value = node.attr_or(name, node.attr_or("qk_norm_epsilon", 1e-6f));
    if (!(value > 0)) throw Error(ErrorKind::kModel, str(name, " must be positive, got ", value));
    return value;
  }

  void set_attributes(const NodeSpec& node) {
    const int64_t window = node.attr_or("local_window_size", -1), causal = node.attr_or("causal", 1);
    if (window != -1 && (window <= 0 || causal == 0)) {
      throw Error(ErrorKind::kModel, str("local_window_size must be -1 or, with causal 1, positive, got ", window));
    }
    attributes_ = {{"q_num_heads", heads_}, {"is_causal", causal}, {"softcap", node.attr_or("softcap", 0.0f)}};
    if (window > 0) attributes_["left_window_size"] = window - 1;
    if (const float scale = node.attr_or("scale", 0.0f); scale != 0) attributes_["scale"] = scale;
    if (qk_output_ > 0) attributes_["qk_matmul_output_mode"] = qk_output_ + 1;
  }

  std::vector<ValueId> expand(Expansion& graph) const override {
    check(graph);
    const Fact& query = graph.facts()[kQuery];
    if (!is_ready(graph)) {
      std::vector<ValueId> outputs(qk_output_ > 0 ? 4 : 3);
      for (ValueId& output : outputs) output = graph.unknown(query.dtype);
      return outputs;
    }
    const Heads all = parts(graph);
    const ValueId total = whole_number(graph, graph.in(kTotal), "total_sequence_length"),
                  length = graph.dim(graph.in(kQuery), 1);
    const ValueId past = graph.has(kPastKey) ? graph.dim(graph.in(kPastKey), 2) : graph.ints({0});
    const std::vector<ValueId> tokens =
        internal_op(graph, "CachePositions", {graph.in(kLast), graph.in(kTotal), length, past, graph.in(kNew)}, 3);
    const ValueId positions = graph.has(kPositions) ? graph.in(kPositions) : tokens[2];
    const ValueId rows = graph.has(kPastKey) ? greater(graph, past, total) : total;
    const ValueId q = rotated(graph, all.q, heads_, positions);
    const ValueId k = cache(graph, kPastKey, rotated(graph, all.k, kv_heads_, positions), tokens[1], rows);
    const ValueId v = cache(graph, kPastValue, all.v, tokens[1], rows);
    const std::vector<ValueId> y = internal_op(
        graph, "Attention", {q, k, v, graph.in(kBias), kNoValue, kNoValue, tokens[0], tokens[1], sink(graph)},
        qk_output_ > 0 ? 4 : 1, attributes_);
    if (qk_output_ == 0) return {y[0], k, v};
    return {y[0], k, v, scores(graph, y[3], total)};
  }

  static bool is_ready(const Expansion& graph) {
    for (const int i : {kQuery, kKey, kValue, kPastKey, kPastValue, kCos}) {
      if (graph.has(size_t(i)) && !graph.facts()[size_t(i)].has_rank()) return false;
    }
    const bool packed = !graph.has(kKey);
    return (!packed || graph.facts()[kQuery].dim(2).known()) &&
           (!graph.has(kCos) || graph.facts()[kCos].dim(1).known());
  }

  void check(const Expansion& graph) const {
    require_inputs(graph.facts(), 1, 17);
    require_given(graph, kLast, "seqlens_k");
    require_given(graph, kTotal, "total_sequence_length");
    require_together(graph, kKey, kValue, "key and value");
    require_together(graph, kPastKey, kPastValue, "past_key and past_value");
    require_together(graph, kCos, kSin, "cos_cache and sin_cache");
    require_together(graph, kQueryNorm, kKeyNorm, "q_norm_weight and k_norm_weight");
    if (rotates_) require_given(graph, kCos, "cos_cache");
    if (graph.has(kKeyScale) || graph.has(kValueScale)) {
      throw Error(ErrorKind::kUnsupported, "quantised caches are not supported here");
    }
    const Fact& query = graph.facts()[kQuery];
    require_floating(query, "query");
    for (const int i : {kKey, kValue, kPastKey, kPastValue, kCos, kSin, kBias, kSink, kQueryNorm, kKeyNorm}) {
      if (graph.has(size_t(i))) require_same_dtype(query, graph.facts()[size_t(i)], "query and the other inputs");
    }
    if (graph.has(kCos)) require_rank(graph.facts()[kCos], 2, "cos_cache");
    if (graph.has(kBias)) require_rank(graph.facts()[kBias], 4, "attention_bias");
    check_sizes(graph);
  }

  void check_sizes(const Expansion& graph) const {
    const bool packed = !graph.has(kKey);
    const Fact& query = graph.facts()[kQuery];
    Dim size = head_size(query, packed ? packed_heads() : heads_, "query");
    for (const int i : {kKey, kValue}) {
      if (packed) continue;
      const Fact& fact = graph.facts()[size_t(i)];
      size = merge_dim(size, head_size(fact, kv_heads_, i == kKey ? "key" : "value"), "the head sizes of the inputs");
      if (fact.has_rank() && query.has_rank()) merge_dim(query.dim(1), fact.dim(1), "the length of query and key");
    }
    if (graph.has(kPastKey)) check_caches(graph, size);
  }

  void check_caches(const Expansion& graph, const Dim& size) const {
    const Fact &query = graph.facts()[kQuery], &key = graph.facts()[kPastKey], &value = graph.facts()[kPastValue];
    for (const Fact* fact : {&key, &value}) {
      const std::string name = fact == &key ? "past_key" : "past_value";
      require_rank(*fact, 4, name);
      if (!fact->has_rank()) continue;
      if (query.has_rank()) merge_dim(query.dim(0), fact->dim(0), "the batch of query and " + name);
      merge_dim(kv_heads_, fact->dim(1), "kv_num_heads and the heads of " + name);
      merge_dim(size, fact->dim(3), "the head size and that of " + name);
    }
    if (key.has_rank() && value.has_rank()) merge_dim(key.dim(2), value.dim(2), "the rows of past_key and past_value");
  }

  int64_t packed_heads() const { return checked_add(heads_, checked_mul(2, kv_heads_)); }

  static void require_together(const Expansion& graph, size_t a, size_t b, const std::string& names) {
    if (graph.has(a) == graph.has(b)) return;
    throw Error(ErrorKind::kModel, names + " must be given together");
  }

  /// Query, key and value, normalised if there are weights for it.
  Heads parts(Expansion& graph) const {
    Heads all{graph.in(kQuery), graph.in(kKey), graph.in(kValue)};
    if (!graph.has(kKey)) {
      const int64_t size = graph.facts()[kQuery].dim(2).value() / packed_heads();
      const int64_t kv_size = checked_mul(kv_heads_, size);
      const ValueId widths = graph.ints({checked_mul(heads_, size), kv_size, kv_size});
      const std::vector<ValueId> split = graph.op("Split", {all.q, widths}, 3, {{"axis", int64_t{2}}});
      all = {split[0], split[1], split[2]};
    }
    if (!graph.has(kQueryNorm)) return all;
    return {normalized(graph, all.q, heads_, graph.in(kQueryNorm), epsilons_[0]),
            normalized(graph, all.k, kv_heads_, graph.in(kKeyNorm), epsilons_[1]), all.v};
  }

  static ValueId normalized(Expansion& graph, ValueId x, int64_t heads, ValueId weight, float epsilon) {
    const Dim size = head_size(graph.fact(x), heads, "query and key");
    const ValueId split = graph.reshape_keeping(x, {0, 0, heads, size.known() ? size.value() : -1});
    const ValueId y = graph.op("RMSNormalization", {split, weight}, {{"epsilon", epsilon}});
    return graph.reshape_keeping(y, {0, 0, size.known() ? checked_mul(heads, size.value()) : -1});
  }

  ValueId rotated(Expansion& graph, ValueId x, int64_t heads, ValueId positions) const {
    if (!rotates_) return x;
    const Attributes attributes{{"num_heads", heads},
                                {"interleaved", interleaved_},
                                {"rotary_embedding_dim", checked_mul(2, graph.facts()[kCos].dim(1).value())}};
    return graph.op("RotaryEmbedding", {x, graph.in(kCos), graph.in(kSin), positions}, attributes);
  }

  static ValueId greater(Expansion& graph, ValueId past, ValueId total) {
    const Tensor &a = graph.fact(past).constant, &b = graph.fact(total).constant;
    return a && b ? graph.ints({std::max(*a.data<int64_t>(), *b.data<int64_t>())}) : graph.op("Max", {past, total});
  }

  ValueId cache(Expansion& graph, size_t past, ValueId x, ValueId begins, ValueId rows) const {
    const ValueId update = split_heads(graph, x, kv_heads_);
    return graph.has(past) ? written_cache(graph, graph.in(past), update, begins, rows)
                           : extended_cache(graph, update, rows);
  }

  ValueId sink(Expansion& graph) const {
    if (graph.has(kSink) || !smooth_) return graph.in(kSink);
    Tensor zeros(DType::kFloat32, Shape{heads_});  // the size is checked, as heads_ may be any number
    std::fill_n(zeros.data<float>(), heads_, 0.0f);
    return graph.cast(graph.constant(zeros), graph.facts()[kQuery].dtype);
  }

  ValueId scores(Expansion& graph, ValueId all, ValueId total) const {
    const ValueId shown = graph.op("Slice", {all, graph.ints({0}), total, graph.ints({3})});
    if (qk_output_ == 2) return shown;
    const ValueId hidden = graph.op("IsInf", {shown}, {{"detect_positive", int64_t{0}}});
    return graph.op("Where", {hidden, graph.cast(graph.scalar(0), graph.fact(shown).dtype), shown});
  }

  int64_t heads_, kv_heads_;
  bool rotates_, smooth_;
  int64_t interleaved_, qk_output_;
  float epsilons_[2];
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(group_query_attention)(Registry& registry) {
  add_expanded<GroupQueryAttention>(registry, "GroupQueryAttention", {.domain = kMicrosoft});
}

}  // namespace linnet
