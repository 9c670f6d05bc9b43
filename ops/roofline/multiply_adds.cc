#include "roofline/multiply_adds.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "attention/attention_scores.h"
#include "products/einsum_equation.h"

namespace linnet {
namespace {

int64_t last_dim(const Tensor& x) { return x.dim(x.rank() - 1); }

/// Elements of `x` for each index of its axis 0.
int64_t row_size(const Tensor& x) { return x.shape().elements(1, x.rank()); }

// Every element of y sums up the weights [O, C / group, k...] of one output channel.
template <int kWeights>
int64_t conv(const NodeValues& v) {
  return checked_mul(v.out(0).size(), row_size(v.in(kWeights)));
}

// Every element of x meets the weights [C, O / group, k...] of its channel.
int64_t conv_transpose(const NodeValues& v) { return checked_mul(v.in(0).size(), row_size(v.in(1))); }

int64_t pixels(const Tensor& channels_last) { return channels_last.shape().elements(0, channels_last.rank() - 1); }

int64_t pointwise_depthwise(const NodeValues& v) {
  return checked_add(checked_mul(pixels(v.in(0)), v.in(1).size()), checked_mul(v.out(0).size(), row_size(v.in(2))));
}

int64_t depthwise_pointwise(const NodeValues& v) {
  return checked_mul(pixels(v.out(0)), checked_add(v.in(1).size(), v.in(2).size()));
}

int64_t matmul(const NodeValues& v) { return checked_mul(v.out(0).size(), last_dim(v.in(0))); }

int64_t gemm(const NodeValues& v) {
  return checked_mul(v.out(0).size(), v.in(0).dim(v.node.attr_or("transA", 0) != 0 ? 0 : 1));
}

// One multiplication less than there are operands, for every combination of the labels.
int64_t einsum(const NodeValues& v) {
  std::vector<int> ranks;
  for (const Tensor* x : v.inputs) ranks.push_back(x->rank());
  const EinsumLabels labels = EinsumEquation(v.node.attr<std::string>("equation")).labels(ranks);
  std::map<EinsumLabel, int64_t> dims;
  for (size_t k = 0; k < labels.operands.size(); ++k) {
    for (size_t d = 0; d < labels.operands[k].size(); ++d) {
      int64_t& dim = dims.emplace(labels.operands[k][d], 1).first->second;
      dim = std::max(dim, v.in(int(k)).dim(int(d)));
    }
  }
  int64_t count = int64_t(v.inputs.size()) - 1;
  for (const auto& [label, dim] : dims) count = checked_mul(count, dim);
  return count;
}

int64_t recurrent(const NodeValues& v) {
  const bool batch_first = v.node.attr_or("layout", false);
  int64_t steps = checked_mul(v.in(0).dim(0), v.in(0).dim(1));
  constexpr int kLengths = 4;
  if (v.has(kLengths)) {
    const int64_t longest = v.in(0).dim(batch_first ? 1 : 0);
    steps = 0;
    for (const int32_t length : v.in(kLengths).values<int32_t>()) {
      steps += std::clamp<int64_t>(length, 0, longest);
    }
  }
  return checked_mul(steps, checked_add(v.in(1).size(), v.in(2).size()));
}

class AttentionCount {
 public:
  explicit AttentionCount(const NodeValues& v) : v_(v), extended_(v.node.domain == "linnet") {
    const auto joined = [&](int input) { return v.in(input).rank() == 3; };
    const auto heads = [&](int input, const char* name) {
      return joined(input) ? v.node.attr<int64_t>(name) : v.in(input).dim(1);
    };
    const auto size = [&](int input, int64_t count) { return last_dim(v.in(input)) / (joined(input) ? count : 1); };
    q_heads_ = heads(Slots::kQ, "q_num_heads");
    head_size_ = size(Slots::kQ, q_heads_);
    v_head_size_ = size(Slots::kV, heads(Slots::kV, "kv_num_heads"));
    q_length_ = v.in(Slots::kQ).dim(joined(Slots::kQ) ? 1 : 2);
    past_ = v.has(Slots::kPastKey) ? v.in(Slots::kPastKey).dim(2) : 0;
    kv_length_ = past_ + v.in(Slots::kK).dim(joined(Slots::kK) ? 1 : 2);
  }

  int64_t operator()() const {
    const int64_t batch = v_.in(Slots::kQ).dim(0);
    int64_t pairs = 0;
    for (int64_t b = 0; b < batch; ++b) pairs += sample_pairs(b);
    const bool all_scores = v_.has_output(Slots::kScores) && v_.node.attr_or("qk_matmul_output_mode", 0) != 3;
    const int64_t scored = all_scores ? checked_mul(batch, checked_mul(q_length_, kv_length_)) : pairs;
    const int64_t sums = checked_add(checked_mul(scored, head_size_), checked_mul(pairs, v_head_size_));
    return checked_mul(q_heads_, sums);
  }

 private:
  using Slots = AttentionSlots;

  /// Pairs of a query and a key of sample b that the window, and a mask that is too short, leave.
  int64_t sample_pairs(int64_t b) const {
    const bool counted = v_.has(Slots::kKeyCounts);
    const int64_t keys = counted ? v_.in(Slots::kKeyCounts).data<int64_t>()[b] : kv_length_;
    const bool placed = v_.has(Slots::kQueryPositions);
    const int64_t offset = placed    ? v_.in(Slots::kQueryPositions).data<int64_t>()[b]
                           : counted ? keys - q_length_
                                     : past_;
    const bool padded = v_.has(Slots::kMask) && (extended_ || v_.node.opset >= 24);
    const int64_t last = padded ? last_dim(v_.in(Slots::kMask)) : kv_length_;
    const AttentionWindow window = this->window();
    int64_t pairs = 0;
    for (int64_t i = 0; i < q_length_; ++i) {
      const KeyRange range = window.keys_of(i, offset, keys);
      pairs += std::max<int64_t>(0, std::min(range.end, last) - range.begin);
    }
    return pairs;
  }

  AttentionWindow window() const {
    AttentionWindow window;
    if (extended_ || v_.node.opset >= 25) {
      window.left = v_.node.attr_or("left_window_size", AttentionWindow::kUnbounded);
      window.right = v_.node.attr_or("right_window_size", AttentionWindow::kUnbounded);
    }
    if (v_.node.attr_or("is_causal", false)) window.right = 0;
    return window;
  }

  const NodeValues& v_;
  bool extended_;
  int64_t q_heads_, head_size_, v_head_size_, q_length_, past_, kv_length_;
};

int64_t attention(const NodeValues& v) { return AttentionCount(v)(); }

// A token adds to the state of every key-value head, for the delta rules recalls from it first, and each of its queries
// reads it.
int64_t linear_attention(const NodeValues& v) {
  const int64_t q_heads = v.node.attr<int64_t>("q_num_heads"), kv_heads = v.node.attr<int64_t>("kv_num_heads");
  const bool delta = v.node.attr_or("update_rule", "gated_delta").ends_with("delta");
  const int64_t state = checked_mul(last_dim(v.in(0)) / q_heads, last_dim(v.in(2)) / kv_heads);
  return checked_mul(pixels(v.in(0)), checked_mul(state, checked_add(checked_mul(kv_heads, delta ? 2 : 1), q_heads)));
}

struct OperatorCount {
  std::string_view domain, op_type;
  int64_t (*count)(const NodeValues&);
};

constexpr OperatorCount kCounts[]{
    {"", "Attention", attention},
    {"", "CausalConvWithState", conv<1>},
    {"", "Conv", conv<1>},
    {"", "ConvInteger", conv<1>},
    {"", "ConvTranspose", conv_transpose},
    {"", "DeformConv", conv<1>},
    {"", "Einsum", einsum},
    {"", "GRU", recurrent},
    {"", "Gemm", gemm},
    {"", "LSTM", recurrent},
    {"", "LinearAttention", linear_attention},
    {"", "MatMul", matmul},
    {"", "MatMulInteger", matmul},
    {"", "QLinearConv", conv<3>},
    {"", "QLinearMatMul", matmul},
    {"", "RNN", recurrent},
    {"com.microsoft", "MatMulNBits", matmul},
    {"custom", "deform_conv2d", conv<1>},
    {"linnet", "Attention", attention},
    {"linnet", "Conv", conv<1>},
    {"linnet", "DeformConv", conv<1>},
    {"linnet", "DepthwisePointwiseConv", depthwise_pointwise},
    {"linnet", "ExpertMatMul", matmul},
    {"linnet", "ExpertMatMulNBits", matmul},
    {"linnet", "Gemm", gemm},
    {"linnet", "MatMul", matmul},
    {"linnet", "PlaneConv", conv<1>},
    {"linnet", "PointwiseConv", conv<0>},
    {"linnet", "PointwiseDepthwiseConv", pointwise_depthwise},
};

}  // namespace

int64_t multiply_adds(const NodeValues& values) {
  const auto found = std::find_if(std::begin(kCounts), std::end(kCounts), [&](const OperatorCount& entry) {
    return entry.domain == values.node.domain && entry.op_type == values.node.op_type;
  });
  return found == std::end(kCounts) ? 0 : found->count(values);
}

}  // namespace linnet
