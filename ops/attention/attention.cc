#include <algorithm>
#include <array>
#include <cmath>

#include "attention/attention_kernel.h"
#include "attention/attention_prefix.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

constexpr const char* kNanWithoutKeys = "nan_without_keys";

/// The size of a head: the dim of heads times their size, divided by the number of heads.
Dim divided(const Dim& dim, int64_t heads, const char* what) {
  if (dim.known() && dim.value() % heads != 0) {
    throw Error(ErrorKind::kShape,
                str("the last dim of ", what, " must be a multiple of its ", heads, " heads, got ", dim));
  }
  return floor_div(dim, heads);
}

/// The dims of an attention, as far as they are known.
struct AttentionDims {
  Dim batch, q_heads, kv_heads, q_length, new_length, past_length{0}, kv_length, head_size, v_head_size;
};

/// Attention: y = softmax(mask(softcap(scale * q * k^T))) * v for every head of every sample.
/// - Q, K, V: float16/bfloat16/float32/float64, [batch, heads, length, size], or [batch, length, heads * size] with
///   q_num_heads and kv_num_heads. The heads of Q are a multiple of those of K and V, each of which serves consecutive
///   heads of Q.
/// - past_key, past_value: [batch, kv_heads, past, size], prepended to K and V
/// - nonpad_kv_seqlen (since opset 24): int64 [batch], the number of keys of each sample that are not padding; not
///   supported with past or present keys
/// - attn_mask: broadcast to [batch, q_heads, q_length, kv_length]. A bool is true for keys that may be attended; any
///   number is added to the scores. Since opset 24 its last dim is not broadcast: the keys that it lacks are
///   disallowed.
/// - is_causal: a query attends keys up to its position
/// - left_window_size, right_window_size (since opset 25; -1: no limit): the largest distance of keys to the left and
///   right
/// - scale: default 1 / sqrt(head size); softcap (0: none)
/// - Y in Q's form; present_key, present_value: past and new ones; qk_matmul_output: see ScoreOutput
/// Queries are at positions from `offset` on, which is the past length, or nonpad_kv_seqlen - q_length, or 0. A query
/// without any key gives zeros. A disallowed key is ignored even if its score is NaN.
/// Computes in float32, or in float64 if Q, K or V are, and rounds once. softmax_precision float64 computes the softmax
/// of float32 scores in float64; other values require less precision than this.
/// The form in the internal domain "linnet" has all of opset 25, and these extensions:
/// - K and V may have rank 4 if Q has rank 3.
/// - With nan_without_keys, a query without any key gives NaN, as in attention written in other operators, and the last
///   dim of attn_mask is broadcast.
/// - query_positions: int64 [batch], the `offset` of each sample
/// - head_sink: [q_heads] of Q's dtype, a score that every softmax of the head has in addition to those of the keys, so
///   that the probabilities sum to less than 1
/// Source: https://onnx.ai/onnx/operators/onnx__Attention.html
class Attention final : public Op {
 public:
  explicit Attention(const NodeSpec& node)
      : extended_(node.domain == kInternalDomain),
        key_counts_(is_of_opset(node, 24)),
        nan_without_keys_(extended_ && node.attr_or(kNanWithoutKeys, false)),
        padded_mask_(key_counts_ && !nan_without_keys_),
        causal_(node.attr_or("is_causal", false)),
        left_(window_of(node, "left_window_size")),
        right_(window_of(node, "right_window_size")),
        q_heads_(heads_of(node, "q_num_heads")),
        kv_heads_(heads_of(node, "kv_num_heads")),
        mode_(node.attr_or("qk_matmul_output_mode", 0)),
        softcap_(node.attr_or("softcap", 0.0f)),
        precision_(dtype_attribute(node, "softmax_precision")) {
    if (const float* scale = node.find<float>("scale")) scale_ = *scale;
    if (mode_ < 0 || mode_ > 3) {
      throw Error(ErrorKind::kModel, str("qk_matmul_output_mode must be 0, 1, 2 or 3, got ", mode_));
    }
    constexpr std::array kPrecisions{DType::kUndefined, DType::kFloat32, DType::kFloat16, DType::kFloat64,
                                     DType::kBFloat16};
    if (std::find(kPrecisions.begin(), kPrecisions.end(), precision_) == kPrecisions.end()) {
      throw Error(ErrorKind::kModel, str("softmax_precision must be a floating-point type, got ", int(precision_)));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, extended_ ? 9 : key_counts_ ? 7 : 6);
    check_dtypes(in);
    check_optional_inputs(in);
    const Fact &q = in[Slots::kQ], &v = in[Slots::kV];
    std::vector<Fact> out{Fact(q.dtype, std::nullopt), Fact(q.dtype, std::nullopt), Fact(v.dtype, std::nullopt),
                          Fact(q.dtype, std::nullopt)};
    if (q.has_rank() && in[Slots::kK].has_rank() && v.has_rank()) {
      const AttentionDims d = dims(in);
      check_mask(in, d);
      out[0].dims = Dims{d.batch, d.q_heads, d.q_length, d.v_head_size};
      if (q.rank() == 3) out[0].dims = Dims{d.batch, d.q_length, checked_mul(d.q_heads, d.v_head_size)};
      out[1].dims = Dims{d.batch, d.kv_heads, d.kv_length, d.head_size};
      out[2].dims = Dims{d.batch, d.kv_heads, d.kv_length, d.v_head_size};
      out[3].dims = Dims{d.batch, d.q_heads, d.q_length, d.kv_length};
    }
    return out;
  }

  // Counts the score and the weighted value of every pair of a query and a key.
  int64_t multiply_adds(const NodeValues& v) const override {
    const AttentionDims d = dims(facts_of(v));
    int64_t pairs = 0;
    for (int64_t b = 0; b < d.batch.value(); ++b) pairs += sample_pairs(v, d, b);
    const bool all_scores = v.has_output(Slots::kScores) && ScoreOutput(mode_) != ScoreOutput::kProbabilities;
    const int64_t all = checked_mul(d.batch.value(), checked_mul(d.q_length.value(), d.kv_length.value()));
    const int64_t scores = checked_mul(all_scores ? all : pairs, d.head_size.value());
    return checked_mul(d.q_heads.value(), checked_add(scores, checked_mul(pairs, d.v_head_size.value())));
  }

  KernelPtr compile(const CompileInput& in) const override {
    return in.dtype(Slots::kQ) == DType::kFloat64 ? make_attention_f64(rule(in), in) : make_attention_f32(rule(in), in);
  }

  bool prefix(Prefix& prefix) const override { return attention_prefix(prefix); }

  Precision computes_in(std::span<const Fact> in) const override {
    const bool wide = in[Slots::kQ].dtype == DType::kFloat64 || in[Slots::kV].dtype == DType::kFloat64;
    return wide ? Precision::kFloat64 : Precision::kFloat32;
  }

 private:
  static bool is_of_opset(const NodeSpec& node, int64_t opset) {
    return node.domain == kInternalDomain || node.opset >= opset;
  }

  static int64_t heads_of(const NodeSpec& node, const char* name) {
    const int64_t heads = node.attr_or(name, 0);
    if (heads < 0 || (heads == 0 && node.has(name))) {
      throw Error(ErrorKind::kModel, str(name, " must be positive, got ", heads));
    }
    return heads;
  }

  static int64_t window_of(const NodeSpec& node, const char* name) {
    const int64_t size = is_of_opset(node, 25) ? node.attr_or(name, -1) : -1;
    if (size < -1) throw Error(ErrorKind::kModel, str(name, " must be -1 or not negative, got ", size));
    return size;
  }

  static void check_dtypes(std::span<const Fact> in) {
    for (int i : {Slots::kQ, Slots::kV}) require_floating(in[size_t(i)], i == Slots::kQ ? "Q" : "V");
    require_same_dtype(in[Slots::kQ], in[Slots::kK], "Q and K");
    if (has_input(in, Slots::kMask)) {
      const DType mask = in[Slots::kMask].dtype;
      const bool integer = is_integer(mask) && dtype_bits(mask) >= 8;
      if (mask != DType::kBool && !integer) require_floating(in[Slots::kMask], "attn_mask");
    }
  }

  void check_optional_inputs(std::span<const Fact> in) const {
    const bool past = has_input(in, Slots::kPastKey);
    if (past != has_input(in, Slots::kPastValue)) {
      throw Error(ErrorKind::kModel, "past_key and past_value must be given together");
    }
    if (past) {
      require_same_dtype(in[Slots::kK], in[Slots::kPastKey], "K and past_key");
      require_same_dtype(in[Slots::kV], in[Slots::kPastValue], "V and past_value");
      require_rank(in[Slots::kPastKey], 4, "past_key");
      require_rank(in[Slots::kPastValue], 4, "past_value");
    }
    check_vector(in, Slots::kQueryPositions, DType::kInt64, "query_positions");
    check_vector(in, Slots::kHeadSink, in[Slots::kQ].dtype, "head_sink");
    check_vector(in, Slots::kKeyCounts, DType::kInt64, "nonpad_kv_seqlen");
    if (past && has_input(in, Slots::kKeyCounts)) {
      throw Error(ErrorKind::kModel, "nonpad_kv_seqlen must not be given together with past_key");
    }
  }

  static void check_vector(std::span<const Fact> in, int slot, DType dtype, const std::string& name) {
    if (!has_input(in, slot)) return;
    require_dtype(in[size_t(slot)], dtype, name);
    require_rank(in[size_t(slot)], 1, name);
  }

  AttentionDims dims(std::span<const Fact> in) const {
    const Fact &q = in[Slots::kQ], &k = in[Slots::kK], &v = in[Slots::kV];
    if (q.rank() != 3 && q.rank() != 4) throw Error(ErrorKind::kShape, str("Q must have rank 3 or 4, got ", q));
    if (!extended_ || k.rank() != 4) require_rank(k, q.rank(), "K");
    require_rank(v, k.rank(), "V");
    AttentionDims d;
    add_query(q, d);
    add_keys(k, v, d);
    d.batch = merge_dim(merge_dim(q.dim(0), k.dim(0), "the batch of Q and K"), v.dim(0), "the batch of Q and V");
    add_past(in, d);
    merge_length(in, Slots::kKeyCounts, d.batch, "the batch and nonpad_kv_seqlen");
    merge_length(in, Slots::kQueryPositions, d.batch, "the batch and query_positions");
    merge_length(in, Slots::kHeadSink, d.q_heads, "the heads of Q and head_sink");
    const bool known = d.q_heads.known() && d.kv_heads.known();
    if (known && (d.kv_heads.value() == 0 || d.q_heads.value() % d.kv_heads.value() != 0)) {
      throw Error(ErrorKind::kShape,
                  str("the heads of Q must be a multiple of those of K and V, got ", d.q_heads, " and ", d.kv_heads));
    }
    return d;
  }

  static void merge_length(std::span<const Fact> in, int slot, const Dim& dim, const std::string& what) {
    if (has_input(in, slot) && in[size_t(slot)].has_rank()) merge_dim(dim, in[size_t(slot)].dim(0), what);
  }

  void add_query(const Fact& q, AttentionDims& d) const {
    if (q.rank() == 3) {
      if (q_heads_ == 0) refuse_without_heads();
      d.q_heads = q_heads_;
      d.q_length = q.dim(1);
      d.head_size = divided(q.dim(2), q_heads_, "Q");
      return;
    }
    d.q_heads = q_heads_ ? merge_dim(q.dim(1), q_heads_, "dim 1 of Q and q_num_heads") : q.dim(1);
    d.q_length = q.dim(2);
    d.head_size = q.dim(3);
  }

  /// Requires add_query() before.
  void add_keys(const Fact& k, const Fact& v, AttentionDims& d) const {
    const bool joined = k.rank() == 3;
    if (joined && kv_heads_ == 0) refuse_without_heads();
    d.new_length = merge_dim(k.dim(joined ? 1 : 2), v.dim(joined ? 1 : 2), "the length of K and V");
    d.kv_heads = joined ? Dim(kv_heads_) : merge_dim(k.dim(1), v.dim(1), "the heads of K and V");
    if (kv_heads_) d.kv_heads = merge_dim(d.kv_heads, kv_heads_, "dim 1 of K and kv_num_heads");
    const Dim size = joined ? divided(k.dim(2), kv_heads_, "K") : k.dim(3);
    d.head_size = merge_dim(d.head_size, size, "the head size of Q and K");
    d.v_head_size = joined ? divided(v.dim(2), kv_heads_, "V") : v.dim(3);
  }

  [[noreturn]] static void refuse_without_heads() {
    throw Error(ErrorKind::kModel, "q_num_heads and kv_num_heads must be given where Q, K and V have rank 3");
  }

  static void add_past(std::span<const Fact> in, AttentionDims& d) {
    const auto match = [&](const Fact& past, Dim& size, const std::string& name) {
      d.batch = merge_dim(d.batch, past.dim(0), "the batch and that of " + name);
      d.kv_heads = merge_dim(d.kv_heads, past.dim(1), "the heads of K and V and those of " + name);
      size = merge_dim(size, past.dim(3), "the head size and that of " + name);
      d.past_length = merge_dim(d.past_length, past.dim(2), "the past lengths");
    };
    if (has_input(in, Slots::kPastKey)) {
      const Fact &key = in[Slots::kPastKey], &value = in[Slots::kPastValue];
      d.past_length = Dim();
      if (key.has_rank()) match(key, d.head_size, "past_key");
      if (value.has_rank()) match(value, d.v_head_size, "past_value");
    }
    d.kv_length = checked_add(d.past_length, d.new_length);
  }

  void check_mask(std::span<const Fact> in, const AttentionDims& d) const {
    if (!has_input(in, Slots::kMask) || !in[Slots::kMask].has_rank()) return;
    const Fact& mask = in[Slots::kMask];
    const std::array full{d.batch, d.q_heads, d.q_length, d.kv_length};
    bool fits = mask.rank() >= 1 && mask.rank() <= 4;
    for (int axis = 3, own = mask.rank() - 1; fits && own >= 0; --axis, --own) {
      fits = axis == 3 && padded_mask_ ? is_shorter(mask.dim(own), full[3])
                                       : broadcasts_to(mask.dim(own), full[size_t(axis)]);
    }
    if (fits) return;
    throw Error(ErrorKind::kShape, str("attn_mask must be broadcastable to [", full[0], ",", full[1], ",", full[2], ",",
                                       full[3], "], got ", mask));
  }

  /// Whether a mask of so many keys can be completed; one of a single key can even if there are no keys.
  static bool is_shorter(const Dim& masked, const Dim& keys) {
    if (masked.known() && (masked.value() == 1 || keys.known())) {
      return masked.value() == 1 || masked.value() <= keys.value();
    }
    if (masked.lower_bound() >= 2) learn_at_least(keys, masked);
    return true;
  }

  static std::vector<Fact> facts_of(const NodeValues& v) {
    std::vector<Fact> facts;
    for (const Tensor* x : v.inputs) facts.push_back(*x ? Fact(x->dtype(), x->shape()) : Fact());
    return facts;
  }

  AttentionWindow window() const { return {left_, causal_ ? 0 : right_}; }

  /// The number of pairs of a query and a key of sample b that the window and a mask that is too short allow.
  int64_t sample_pairs(const NodeValues& v, const AttentionDims& d, int64_t b) const {
    const bool counted = v.has(Slots::kKeyCounts), placed = v.has(Slots::kQueryPositions);
    const int64_t keys = counted ? v.in(Slots::kKeyCounts).data<int64_t>()[b] : d.kv_length.value();
    int64_t offset = counted ? keys - d.q_length.value() : d.past_length.value();
    if (placed) offset = v.in(Slots::kQueryPositions).data<int64_t>()[b];
    const bool cut = padded_mask_ && v.has(Slots::kMask);
    const int64_t end = cut ? v.in(Slots::kMask).shape().dims().back() : d.kv_length.value();
    int64_t pairs = 0;
    for (int64_t i = 0; i < d.q_length.value(); ++i) {
      const KeyRange range = window().keys_of(i, offset, keys);
      pairs += std::max<int64_t>(0, std::min(range.end, end) - range.begin);
    }
    return pairs;
  }

  AttentionRule rule(const CompileInput& in) const {
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const AttentionDims d = dims(facts);
    AttentionRule rule;
    rule.sizes = {d.batch.value(),         d.q_heads.value(),      d.kv_heads.value(),  d.q_length.value(),
                  d.kv_length.value(),     d.past_length.value(),  d.head_size.value(), d.v_head_size.value(),
                  in.rank(Slots::kQ) == 3, in.rank(Slots::kK) == 3};
    rule.scale = scale_ ? double(*scale_) : 1 / std::sqrt(double(rule.sizes.head_size));
    rule.softcap = double(softcap_);
    rule.window = window();
    if (in.has(Slots::kMask)) rule.mask = AttentionMask(in.shape(Slots::kMask), rule.sizes, padded_mask_);
    rule.present = {in.has_output(Slots::kPresentKey), in.has_output(Slots::kPresentValue)};
    if (in.has_output(Slots::kScores)) rule.output = ScoreOutput(mode_);
    rule.head_sink = in.has(Slots::kHeadSink);
    rule.double_softmax = precision_ == DType::kFloat64;
    rule.nan_without_keys = nan_without_keys_;
    return rule;
  }

  bool extended_, key_counts_, nan_without_keys_, padded_mask_, causal_;
  int64_t left_, right_;
  int64_t q_heads_, kv_heads_;  // 0 if not given
  int64_t mode_;
  std::optional<float> scale_;
  float softcap_;
  DType precision_;
};

}  // namespace

LINNET_REGISTER(attention)(Registry& registry) {
  registry.add<Attention>("Attention", {.since = 23});
  registry.add<Attention>("Attention", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
