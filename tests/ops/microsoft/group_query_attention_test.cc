#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ops/microsoft/attention_state.h"
#include "support/run_expanded.h"

namespace linnet::testing::group_query_attention {
namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kSize = 8, kPositions = 40;

/// The sizes and options of random values. Caches and rows are [batch, heads, rows, size].
struct Settings {
  int64_t length = 1, past = 0;
  std::vector<int64_t> tokens{};  ///< The tokens of each sample, including the new ones.
  std::vector<int64_t> added{};   ///< The rows of the query that are tokens; all if empty.
  int64_t window = -1;
  float softcap = 0;
  bool causal = true, rotates = false, interleaved = false, has_norm = false;
  Tensor bias{}, sink{};
  Attributes attributes{};

  int64_t batch() const { return int64_t(tokens.size()); }
  int64_t total() const { return *std::max_element(tokens.begin(), tokens.end()); }
  int64_t rows() const { return std::max(past, total()); }
  int64_t tokens_added(int64_t b) const {
    return added.empty() ? std::min(length, tokens[size_t(b)]) : added[size_t(b)];
  }
  int64_t before(int64_t b) const { return tokens[size_t(b)] - tokens_added(b); }
};

const Tensor kCos = random_tensor({kPositions, kSize / 2}, 11), kSin = random_tensor({kPositions, kSize / 2}, 12);
const Tensor kQueryNorm = random_tensor({kSize}, 13), kKeyNorm = random_tensor({kSize}, 14);

struct Values {
  Tensor q, k, v, past_key, past_value;
};

Values values_of(const Settings& s) {
  const auto rows = [&](int64_t heads, unsigned seed) {
    return random_tensor({s.batch(), heads, s.length, kSize}, seed);
  };
  const auto cache = [&](unsigned seed) {
    return s.past ? random_tensor({s.batch(), kKvHeads, s.past, kSize}, seed) : Tensor();
  };
  return {rows(kHeads, 1), rows(kKvHeads, 2), rows(kKvHeads, 3), cache(4), cache(5)};
}

std::vector<double> row_of(const Tensor& x, int64_t b, int64_t h, int64_t i) {
  const float* from = x.data<float>() + ((b * x.dim(1) + h) * x.dim(2) + i) * kSize;
  return {from, from + kSize};
}

/// Returns row i of query or key as it is used in products.
std::vector<double> prepared(const Settings& s, const Tensor& x, const Tensor& norm, int64_t b, int64_t h, int64_t i) {
  std::vector<double> row = row_of(x, b, h, i);
  if (s.has_norm) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    for (size_t d = 0; d < row.size(); ++d) {
      row[d] *= double(norm.data<float>()[d]) / std::sqrt(squares / kSize + 1e-6);
    }
  }
  if (!s.rotates) return row;
  std::vector<double> result = row;
  for (int64_t d = 0; d < kSize / 2; ++d) {
    const int64_t angle = (s.before(b) + i) * kSize / 2 + d;
    const double cosine = double(kCos.data<float>()[angle]), sine = double(kSin.data<float>()[angle]);
    const auto first = size_t(s.interleaved ? 2 * d : d), second = first + size_t(s.interleaved ? 1 : kSize / 2);
    result[first] = cosine * row[first] - sine * row[second];
    result[second] = sine * row[first] + cosine * row[second];
  }
  return result;
}

double bias_of(const Settings& s, int64_t b, int64_t h, int64_t i, int64_t j) {
  if (!s.bias) return 0;
  const int64_t head = s.bias.dim(1) == 1 ? 0 : h, sample = s.bias.dim(0) == 1 ? 0 : b;
  return double(s.bias.data<float>()[((sample * s.bias.dim(1) + head) * s.length + i) * s.total() + j]);
}

/// Checks the rows of tokens.
void expect_attention(const Settings& s, const Values& values, const std::vector<Tensor>& got) {
  ASSERT_EQ(got[0].shape(), (Shape{s.batch(), s.length, kHeads * kSize}));
  ASSERT_EQ(got[1].shape(), (Shape{s.batch(), kKvHeads, s.rows(), kSize}));
  for (int64_t at = 0; at < s.batch() * kHeads * s.length; ++at) {
    const int64_t i = at % s.length, h = at / s.length % kHeads, b = at / s.length / kHeads;
    if (i >= s.tokens_added(b)) continue;
    const int64_t before = s.before(b), kv_head = h * kKvHeads / kHeads, position = before + i;
    const std::vector<double> query = prepared(s, values.q, kQueryNorm, b, h, i);
    std::vector<double> sum(kSize);
    double share = s.sink ? std::exp(double(s.sink.data<float>()[h])) : 0;
    for (int64_t j = 0; j < s.tokens[size_t(b)]; ++j) {
      const bool old = j < before;
      const std::vector<double> key =
          old ? row_of(values.past_key, b, kv_head, j) : prepared(s, values.k, kKeyNorm, b, kv_head, j - before);
      const std::vector<double> value =
          old ? row_of(values.past_value, b, kv_head, j) : row_of(values.v, b, kv_head, j - before);
      EXPECT_NEAR(row_of(got[1], b, kv_head, j)[3], key[3], 1e-5);
      EXPECT_NEAR(row_of(got[2], b, kv_head, j)[3], value[3], 1e-6);
      if ((s.causal && j > position) || (s.window > 0 && j <= position - s.window)) continue;
      double score = 0;
      for (size_t d = 0; d < kSize; ++d) score += query[d] * key[d] / std::sqrt(double(kSize));
      if (s.softcap > 0) score = double(s.softcap) * std::tanh(score / double(s.softcap));
      const double power = std::exp(score + bias_of(s, b, h, i, j));
      share += power;
      for (size_t d = 0; d < kSize; ++d) sum[d] += power * value[d];
    }
    for (int64_t d = 0; d < kSize; ++d) {
      EXPECT_NEAR(got[0].data<float>()[(b * s.length + i) * kHeads * kSize + h * kSize + d], sum[size_t(d)] / share,
                  1e-4);
    }
  }
}

Attributes attributes_of(const Settings& s) {
  Attributes attributes = s.attributes;
  attributes["num_heads"] = kHeads;
  attributes["kv_num_heads"] = kKvHeads;
  attributes["local_window_size"] = s.window;
  attributes["softcap"] = s.softcap;
  attributes["causal"] = int64_t{s.causal};
  attributes["do_rotary"] = int64_t{s.rotates};
  attributes["rotary_interleaved"] = int64_t{s.interleaved};
  return attributes;
}

std::vector<Tensor> inputs_of(const Settings& s, const Values& values) {
  std::vector<int32_t> last, added(s.added.begin(), s.added.end());
  for (const int64_t tokens : s.tokens) last.push_back(int32_t(tokens - 1));
  std::vector<Tensor> inputs{with_joined_heads(values.q),
                             with_joined_heads(values.k),
                             with_joined_heads(values.v),
                             values.past_key,
                             values.past_value,
                             Tensor::of(last),
                             Tensor::scalar(int32_t(s.total()))};
  inputs.resize(17);
  if (s.rotates) inputs[7] = kCos, inputs[8] = kSin;
  inputs[10] = s.bias;
  inputs[11] = s.sink;
  if (s.has_norm) inputs[14] = kQueryNorm, inputs[15] = kKeyNorm;
  if (!s.added.empty()) inputs[16] = Tensor::of(added);
  return inputs;
}

std::vector<Tensor> run(const Settings& s) {
  return run_expanded("GroupQueryAttention", attributes_of(s), inputs_of(s, values_of(s)), 3);
}

void expect_right(const Settings& s) { expect_attention(s, values_of(s), run(s)); }

TEST(GroupQueryAttention, ReadsPromptsOfDifferentLengths) {
  expect_right({.length = 5, .tokens = {5, 2, 4}});
  expect_right({.length = 5, .past = 9, .tokens = {5, 2, 4}});
}

TEST(GroupQueryAttention, AddsATokenToEachSample) {
  expect_right({.length = 1, .past = 6, .tokens = {7, 3}});
  expect_right({.length = 1, .past = 12, .tokens = {7, 3}});
}

TEST(GroupQueryAttention, AddsTokensToAPast) {
  expect_right({.length = 3, .past = 6, .tokens = {9, 5}});
  expect_right({.length = 3, .past = 16, .tokens = {9, 5}});
}

TEST(GroupQueryAttention, TakesRowsThatAreNoTokens) {
  expect_right({.length = 4, .past = 16, .tokens = {9, 5, 6}, .added = {4, 2, 0}});
  expect_right({.length = 4, .past = 16, .tokens = {9, 5, 6}, .added = {4, 2, 1}, .rotates = true});
}

TEST(GroupQueryAttention, RotatesAndNormalizes) {
  for (const bool interleaved : {false, true}) {
    expect_right({.length = 3, .past = 6, .tokens = {9, 5}, .rotates = true, .interleaved = interleaved});
  }
  expect_right({.length = 3, .past = 6, .tokens = {9, 5}, .rotates = true, .has_norm = true});
}

TEST(GroupQueryAttention, BoundsScoresAndWindows) {
  expect_right({.length = 3, .past = 6, .tokens = {9, 5}, .window = 2});
  expect_right({.length = 3, .past = 6, .tokens = {9, 5}, .softcap = 0.7f});
  expect_right({.length = 5, .tokens = {5, 2}, .causal = false});
}

TEST(GroupQueryAttention, AddsBiasesAndSinks) {
  Settings s{.length = 3, .past = 12, .tokens = {9, 5}};
  s.bias = random_tensor({1, kHeads, 3, 9}, 20);
  expect_right(s);
  s.sink = random_tensor({kHeads}, 21);
  expect_right(s);
  // Many queries use the other code path of the kernel.
  Settings many{.length = 40, .tokens = {40, 33}};
  many.sink = random_tensor({kHeads}, 21);
  expect_right(many);
}

TEST(GroupQueryAttention, SmoothSoftmaxIsASinkOfZero) {
  Settings s{.length = 1, .past = 6, .tokens = {7, 3}};
  s.attributes["smooth_softmax"] = int64_t{1};
  s.sink = Tensor(DType::kFloat32, {kHeads});
  std::fill_n(s.sink.data<float>(), kHeads, 0.0f);
  std::vector<Tensor> inputs = inputs_of(s, values_of(s));
  inputs[11] = Tensor();
  expect_attention(s, values_of(s), run_expanded("GroupQueryAttention", attributes_of(s), inputs, 3));
}

TEST(GroupQueryAttention, TakesQueryKeyAndValueSideBySide) {
  const Settings s{.length = 3, .past = 6, .tokens = {9, 5}, .rotates = true};
  std::vector<Tensor> inputs = inputs_of(s, values_of(s));
  inputs[0] = run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {inputs[0], inputs[1], inputs[2]})[0];
  inputs[1] = inputs[2] = Tensor();
  const std::vector<Tensor> got = run_expanded("GroupQueryAttention", attributes_of(s), inputs, 3), want = run(s);
  for (size_t i = 0; i < 3; ++i) expect_close(got[i], want[i], 1e-6);
}

TEST(GroupQueryAttention, ShowsProbabilities) {
  Settings s{.length = 2, .past = 12, .tokens = {7, 4}};
  s.attributes["qk_output"] = int64_t{2};
  const Tensor shares = run_expanded("GroupQueryAttention", attributes_of(s), inputs_of(s, values_of(s)), 4)[3];
  ASSERT_EQ(shares.shape(), (Shape{2, kHeads, 2, 7}));
  for (int64_t row = 0; row < 2 * kHeads * 2; ++row) {
    const float* share = shares.data<float>() + row * 7;
    EXPECT_NEAR(std::accumulate(share, share + 7, 0.0), 1, 1e-5);
    const int64_t b = row / kHeads / 2, position = s.before(b) + row % 2;
    for (int64_t j = 0; j < 7; ++j) EXPECT_EQ(share[j] > 0, j <= position) << row << " " << j;
  }
}

TEST(GroupQueryAttention, RefusesLengthsThatDoNotFit) {
  const Settings s{.length = 1, .past = 6, .tokens = {7, 3}};
  const auto expect_refused = [&](size_t input, const Tensor& value, const std::string& text) {
    std::vector<Tensor> inputs = inputs_of(s, values_of(s));
    inputs[input] = value;
    expect_error(ErrorKind::kShape, text, [&] {
      run_op({"GroupQueryAttention", 1, attributes_of(s), "com.microsoft"}, inputs, 3);
    });
  };
  expect_refused(5, Tensor::of<int32_t>({7, 2}), "seqlens_k must be in [0,6], got 7");
  expect_refused(5, Tensor::of<int32_t>({6, -1}), "seqlens_k must be in [0,6], got -1");
  expect_refused(5, Tensor::of<int32_t>({6}), "batch");
  expect_refused(6, Tensor::scalar(int32_t{0}), "seqlens_k");
  expect_refused(6, Tensor::of<int32_t>({7, 7}), "total_sequence_length");
  expect_refused(16, Tensor::of<int32_t>({2, 1}), "query_seqlens must be in [0,1], got 2");
  expect_refused(16, Tensor::of<int32_t>({0, 1}), "of which past_key holds the keys, must be in [0,6], got 7");
  expect_refused(4, random_tensor({2, kKvHeads, 5, kSize}), "the rows of past_key and past_value");
  expect_refused(3, random_tensor({2, kHeads, 6, kSize}), "past_key");
  expect_refused(0, random_tensor({2, 1, kHeads * kSize + 1}), "query");
  expect_refused(2, random_tensor({2, 1, 2 * kKvHeads * kSize}), "head size");
  expect_refused(10, random_tensor({1, 3, 1, 7}), "attn_mask");
  expect_refused(11, random_tensor({3}), "head_sink");
}

TEST(GroupQueryAttention, RefusesAttributesThatDoNotFit) {
  const Settings s{.length = 1, .past = 6, .tokens = {7, 3}};
  const auto expect_refused = [&](ErrorKind kind, const char* name, const Attribute& value) {
    Attributes attributes = attributes_of(s);
    attributes[name] = value;
    expect_error(kind, name, [&] {
      run_op({"GroupQueryAttention", 1, attributes, "com.microsoft"}, inputs_of(s, values_of(s)), 3);
    });
  };
  expect_refused(ErrorKind::kModel, "kv_num_heads", int64_t{3});
  expect_refused(ErrorKind::kModel, "num_heads", int64_t{0});
  expect_refused(ErrorKind::kModel, "local_window_size", int64_t{0});
  expect_refused(ErrorKind::kModel, "qk_output", int64_t{3});
  expect_refused(ErrorKind::kUnsupported, "sliding_window_cache", int64_t{1});
}

}  // namespace
}  // namespace linnet::testing::group_query_attention
