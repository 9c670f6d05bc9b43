#include <limits>

#include "ops/microsoft/attention_state.h"

namespace linnet::testing::multi_head_attention {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kLength = 4, kKeys = 5, kSize = 6, kPast = 2, kRows = 9;
const double kScale = 1 / std::sqrt(double(kSize));

const Tensor kQ = random_tensor({kBatch, kHeads, kLength, kSize}, 1),
             kK = random_tensor({kBatch, kHeads, kKeys, kSize}, 2);
const Tensor kV = random_tensor({kBatch, kHeads, kKeys, 3}, 3),
             kSameV = random_tensor({kBatch, kHeads, kKeys, kSize}, 4);
const Tensor kPastK = random_tensor({kBatch, kHeads, kRows, kSize}, 5),
             kPastV = random_tensor({kBatch, kHeads, kRows, kSize}, 6);

std::vector<Tensor> run(std::vector<Tensor> inputs, int outputs = 1, Attributes attributes = {}) {
  attributes["num_heads"] = kHeads;
  return run_expanded("MultiHeadAttention", attributes, inputs, outputs);
}

std::vector<Tensor> separate(const Tensor& v = kV) {
  return {with_joined_heads(kQ), with_joined_heads(kK), with_joined_heads(v)};
}

TEST(MultiHeadAttention, TakesKeysAndValuesInEveryForm) {
  const Tensor want = attention_in_double(kQ, kK, kSameV, kScale, nothing);
  expect_close(run(separate(kSameV))[0], want, 1e-5);
  expect_close(run({with_joined_heads(kQ), kK, kSameV})[0], want, 1e-5);
  const Attributes axis{{"axis", int64_t{3}}};
  const auto each = [](const Tensor& x) { return with_joined_heads(x).reshaped({kBatch, x.dim(2), kHeads, 1, kSize}); };
  const Tensor both = run_op({"Concat", 13, axis}, {each(kK), each(kSameV)})[0];
  expect_close(run({with_joined_heads(kQ), both})[0], want, 1e-5);
  const Tensor all = run_op({"Concat", 13, axis}, {each(kK), each(kK), each(kSameV)})[0];
  expect_close(run({all})[0], attention_in_double(kK, kK, kSameV, kScale, nothing), 1e-5);
}

/// Returns x plus the part of the bias from `first` on.
Tensor shifted(const Tensor& x, const Tensor& bias, int64_t first) {
  Tensor y = with_joined_heads(x);
  const int64_t width = y.dim(2);
  for (int64_t i = 0; i < y.size(); ++i) y.data<float>()[i] += bias.data<float>()[first + i % width];
  return with_split_heads(y, kHeads);
}

TEST(MultiHeadAttention, AddsTheBiasOfProjections) {
  constexpr int64_t kHidden = kHeads * kSize;
  const Tensor bias = random_tensor({2 * kHidden + kHeads * 3}, 7), same = random_tensor({3 * kHidden}, 8);
  std::vector<Tensor> inputs = separate();
  inputs.push_back(bias);
  const Tensor q = shifted(kQ, bias, 0), k = shifted(kK, bias, kHidden), v = shifted(kV, bias, 2 * kHidden);
  expect_close(run(inputs)[0], attention_in_double(q, k, v, kScale, nothing), 1e-5);
  expect_close(run({with_joined_heads(kQ), kK, kSameV, same})[0],
               attention_in_double(shifted(kQ, same, 0), kK, kSameV, kScale, nothing), 1e-5);
}

TEST(MultiHeadAttention, TakesMasksOfEveryRank) {
  const auto expect_masked = [](const Tensor& mask, const std::function<bool(int64_t, int64_t, int64_t)>& seen) {
    std::vector<Tensor> inputs = separate();
    inputs.resize(5);
    inputs[4] = mask;
    const auto added = [&](int64_t b, int64_t, int64_t i, int64_t j) { return seen(b, i, j) ? 0 : -50.0; };
    expect_close(run(inputs, 1, {{"mask_filter_value", -50.0f}})[0], attention_in_double(kQ, kK, kV, kScale, added),
                 1e-5);
  };
  const int ends[] = {2, 4};
  const auto before_end = [&](int64_t b, int64_t, int64_t j) { return j < ends[b]; };
  expect_masked(Tensor::of<int32_t>({2, 4}), before_end);
  expect_masked(Tensor::of<int32_t>({2, 4, 0, 4, 8, 0, 5, 10}), before_end);
  Tensor rows(DType::kInt32, {kBatch, kKeys}), all(DType::kInt32, {kBatch, kLength, kKeys});
  for (int64_t i = 0; i < rows.size(); ++i) rows.data<int32_t>()[i] = int32_t(i % 3 != 1);
  for (int64_t i = 0; i < all.size(); ++i) all.data<int32_t>()[i] = int32_t(i % 4 != 2);
  expect_masked(rows, [](int64_t b, int64_t, int64_t j) { return (b * kKeys + j) % 3 != 1; });
  expect_masked(all, [](int64_t b, int64_t i, int64_t j) { return ((b * kLength + i) * kKeys + j) % 4 != 2; });
}

TEST(MultiHeadAttention, AddsAMaskAndABiasOfScores) {
  std::vector<Tensor> inputs = separate();
  inputs.resize(6);
  inputs[4] = Tensor::of<int32_t>({3, 5});
  inputs[5] = random_tensor({1, kHeads, kLength, kKeys}, 9);
  const auto added = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    return value_at(inputs[5], 0, h, i, j) + (b == 0 && j >= 3 ? -10000.0 : 0);
  };
  expect_close(run(inputs)[0], attention_in_double(kQ, kK, kV, kScale, added), 1e-5);
  expect_close(run(inputs, 1, {{"scale", 0.5f}})[0], attention_in_double(kQ, kK, kV, 0.5, added), 1e-5);
  const Tensor scores = run(inputs, 4)[3];
  for (int64_t i = 0; i < kLength; ++i) {
    double product = 0;
    for (int64_t d = 0; d < kSize; ++d) product += value_at(kQ, 1, 2, i, d) * value_at(kK, 1, 2, 3, d);
    EXPECT_NEAR(value_at(scores, 1, 2, i, 3), product * kScale + added(1, 2, i, 3), 1e-5);
  }
}

TEST(MultiHeadAttention, AttendsToPastAndPresent) {
  const auto causal = [](int64_t, int64_t, int64_t i, int64_t j) { return j <= kPast + i ? 0 : kNever; };
  const Tensor k = rows_behind(kPastK, kPast, kK), v = rows_behind(kPastV, kPast, kSameV);
  const auto cut = [](const Tensor& x) {
    return rows_behind(x, kPast, Tensor(DType::kFloat32, {kBatch, kHeads, 0, kSize}));
  };
  std::vector<Tensor> inputs = separate(kSameV);
  inputs.resize(8);
  inputs[6] = cut(kPastK), inputs[7] = cut(kPastV);
  const std::vector<Tensor> y = run(inputs, 3, {{"unidirectional", int64_t{1}}});
  expect_close(y[0], attention_in_double(kQ, k, v, kScale, causal), 1e-5);
  expect_close(y[1], k);
  expect_close(y[2], v);
}

TEST(MultiHeadAttention, WritesBehindThePastThatCounts) {
  const auto causal = [](int64_t, int64_t, int64_t i, int64_t j) { return j <= kPast + i ? 0 : kNever; };
  const Tensor k = rows_behind(kPastK, kPast, kK), v = rows_behind(kPastV, kPast, kSameV);
  std::vector<Tensor> inputs = separate(kSameV);
  inputs.resize(9);
  inputs[6] = kPastK, inputs[7] = kPastV, inputs[8] = Tensor::scalar(int32_t{kPast});
  const std::vector<Tensor> y = run(inputs, 4, {{"unidirectional", int64_t{1}}});
  expect_close(y[0], attention_in_double(kQ, k, v, kScale, causal), 1e-5);
  ASSERT_EQ(y[1].shape(), kPastK.shape());
  ASSERT_EQ(y[3].shape(), (Shape{kBatch, kHeads, kLength, kPast + kKeys}));
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(value_at(y[1], 1, 2, i, 0), value_at(i < kPast + kKeys ? k : kPastK, 1, 2, i, 0));
    EXPECT_EQ(value_at(y[2], 1, 2, i, 0), value_at(i < kPast + kKeys ? v : kPastV, 1, 2, i, 0));
  }
  inputs[8] = Tensor::scalar(int32_t{5});
  expect_error(ErrorKind::kShape, "must be in [0,4], got 5", [&] {
    run_op({"MultiHeadAttention", 1, {{"num_heads", kHeads}}, "com.microsoft"}, inputs, 3);
  });
}

TEST(MultiHeadAttention, OfDecodersHasItsInputsElsewhere) {
  const Tensor q = random_tensor({kBatch, kHeads, 1, kSize}, 1), k = random_tensor({kBatch, kHeads, 1, kSize}, 2);
  const Tensor v = random_tensor({kBatch, kHeads, 1, kSize}, 3), bias = random_tensor({3 * kHeads * kSize}, 4);
  const Tensor scores = random_tensor({1, kHeads, 1, kPast + 1}, 9),
               mask = Tensor::of<int32_t>({2, 3}, {1, 0, 1, 1, 1, 1});
  std::vector<Tensor> inputs{
      with_joined_heads(q),           with_joined_heads(k),      with_joined_heads(v), mask, scores, kPastK, kPastV,
      Tensor::scalar(int32_t{kPast}), Tensor::scalar(int32_t{1})};
  inputs.resize(11);
  inputs[10] = bias;
  const auto added = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    return value_at(scores, 0, h, i, j) + (b == 0 && j == 1 ? -10000.0 : 0);
  };
  constexpr int64_t kHidden = kHeads * kSize;
  const Attributes attributes{{"num_heads", kHeads}, {"past_present_share_buffer", int64_t{1}}};
  const std::vector<Tensor> y = run_expanded("DecoderMaskedMultiHeadAttention", attributes, inputs, 3);
  expect_close(y[0],
               attention_in_double(shifted(q, bias, 0), rows_behind(kPastK, kPast, shifted(k, bias, kHidden)),
                                   rows_behind(kPastV, kPast, shifted(v, bias, 2 * kHidden)), kScale, added),
               1e-5);
  ASSERT_EQ(y[1].shape(), kPastK.shape());
  inputs[9] = Tensor(DType::kInt32, {1, 2, kRows});
  expect_error(ErrorKind::kUnsupported, "cache_indirection", [&] {
    run_op({"DecoderMaskedMultiHeadAttention", 1, attributes, "com.microsoft"}, inputs, 3);
  });
}

TEST(MultiHeadAttention, RefusesWhatDoesNotFit) {
  const auto expect_refused = [](ErrorKind kind, const std::string& text, std::vector<Tensor> inputs,
                                 int64_t heads = kHeads) {
    expect_error(kind, text, [&] {
      run_op({"MultiHeadAttention", 1, {{"num_heads", heads}}, "com.microsoft"}, inputs);
    });
  };
  std::vector<Tensor> inputs = separate();
  inputs.resize(10);
  const auto with = [&](size_t i, const Tensor& value) {
    std::vector<Tensor> changed = inputs;
    changed[i] = value;
    return changed;
  };
  expect_refused(ErrorKind::kModel, "num_heads", inputs, 0);
  expect_refused(ErrorKind::kShape, "5 heads", inputs, 5);
  expect_refused(ErrorKind::kModel, "key must be given", {inputs[0]});
  expect_refused(ErrorKind::kModel, "value must be given", {inputs[0], inputs[1]});
  expect_refused(ErrorKind::kShape, "key_padding_mask", with(4, Tensor::of<int32_t>({1, 2, 3})));
  expect_refused(ErrorKind::kShape, "key_padding_mask must have rank 1 or 2 or 3",
                 with(4, Tensor(DType::kInt32, {2, 1, 4, 5})));
  expect_refused(ErrorKind::kShape, "attn_mask", with(4, Tensor(DType::kInt32, {kBatch, 4})));
  expect_refused(ErrorKind::kShape, "attention_bias must have rank 4", with(5, random_tensor({kLength, kKeys})));
  expect_refused(ErrorKind::kModel, "past_value", with(6, kPastK));
  expect_refused(ErrorKind::kUnsupported, "cache_indirection", with(9, Tensor(DType::kInt32, {2, 1, 9})));
  expect_refused(ErrorKind::kShape, "batch", with(1, random_tensor({1, kKeys, kHeads * kSize})));
}

}  // namespace
}  // namespace linnet::testing::multi_head_attention
