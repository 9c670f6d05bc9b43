#include <limits>

#include "ops/microsoft/attention_state.h"

namespace linnet::testing::projected_attention {
namespace {

constexpr int64_t kBatch = 2, kHeads = 2, kLength = 3, kWidth = 5, kSize = 4, kHidden = kHeads * kSize, kPast = 2,
                  kRows = 7;
const double kScale = 1 / std::sqrt(double(kSize));

const Tensor kInput = random_tensor({kBatch, kLength, kWidth}, 1);
const Tensor kWeights = random_tensor({kWidth, 3 * kHidden}, 2), kBias = random_tensor({3 * kHidden}, 3);

/// Returns `width` columns from `first` on of input * weights + bias, as heads.
Tensor projected(const Tensor& weights, const Tensor& bias, int64_t first, int64_t width) {
  Tensor y(DType::kFloat32, {kBatch, kLength, width});
  for (int64_t at = 0; at < y.size(); ++at) {
    const int64_t column = first + at % width, row = at / width;
    double sum = bias ? double(bias.data<float>()[column]) : 0;
    for (int64_t k = 0; k < kWidth; ++k) {
      sum +=
          double(kInput.data<float>()[row * kWidth + k]) * double(weights.data<float>()[k * weights.dim(1) + column]);
    }
    y.data<float>()[at] = float(sum);
  }
  return with_split_heads(y, kHeads);
}

Tensor part(int64_t i) { return projected(kWeights, kBias, i * kHidden, kHidden); }

std::vector<Tensor> run(const std::vector<Tensor>& inputs, int outputs = 1, Attributes attributes = {}) {
  attributes["num_heads"] = kHeads;
  return run_expanded("Attention", attributes, inputs, outputs);
}

TEST(ProjectedAttention, ProjectsItsInput) {
  expect_close(run({kInput, kWeights, kBias})[0], attention_in_double(part(0), part(1), part(2), kScale, nothing),
               1e-4);
  const auto bare = [](int64_t i) { return projected(kWeights, Tensor(), i * kHidden, kHidden); };
  expect_close(run({kInput, kWeights})[0], attention_in_double(bare(0), bare(1), bare(2), kScale, nothing), 1e-4);
}

TEST(ProjectedAttention, TakesValuesOfAnotherSize) {
  const Tensor weights = random_tensor({kWidth, 22}, 4), bias = random_tensor({22}, 5);
  const auto cut = [&](int64_t first, int64_t width) { return projected(weights, bias, first, width); };
  expect_close(run({kInput, weights, bias}, 1, {{"qkv_hidden_sizes", std::vector<int64_t>{8, 8, 6}}})[0],
               attention_in_double(cut(0, 8), cut(8, 8), cut(16, 6), kScale, nothing), 1e-4);
}

TEST(ProjectedAttention, AddsMaskAndBias) {
  const Tensor bias = random_tensor({kBatch, 1, kLength, kLength}, 6);
  const auto added = [&](int64_t b, int64_t, int64_t i, int64_t j) {
    return value_at(bias, b, 0, i, j) + (b == 0 && j == 2 ? -10000.0 : 0) + (j > i ? kNever : 0);
  };
  expect_close(run({kInput, kWeights, kBias, Tensor::of<int32_t>({2, 3}), Tensor(), bias}, 1,
                   {{"unidirectional", int64_t{1}}})[0],
               attention_in_double(part(0), part(1), part(2), kScale, added), 1e-4);
}

/// Returns one of the two caches in a state.
Tensor half(const Tensor& state, int64_t i) { return run_op({"Gather", 13}, {state, Tensor::scalar(i)})[0]; }

TEST(ProjectedAttention, AttendsToPastAndPresent) {
  const Tensor past = random_tensor({2, kBatch, kHeads, kPast, kSize}, 7);
  const Tensor k = rows_behind(half(past, 0), kPast, part(1)), v = rows_behind(half(past, 1), kPast, part(2));
  const std::vector<Tensor> y = run({kInput, kWeights, kBias, Tensor::of<int32_t>({5, 4}), past}, 2);
  const auto added = [](int64_t b, int64_t, int64_t, int64_t j) { return b == 1 && j == 4 ? -10000.0 : 0; };
  expect_close(y[0], attention_in_double(part(0), k, v, kScale, added), 1e-4);
  ASSERT_EQ(y[1].shape(), (Shape{2, kBatch, kHeads, kPast + kLength, kSize}));
  expect_close(half(y[1], 0), k, 1e-5);
  expect_close(half(y[1], 1), v, 1e-5);
}

TEST(ProjectedAttention, WritesBehindThePastThatCounts) {
  const Tensor past = random_tensor({2, kBatch, kHeads, kRows, kSize}, 7);
  const Tensor k = rows_behind(half(past, 0), kPast, part(1)), v = rows_behind(half(past, 1), kPast, part(2));
  const std::vector<Tensor> inputs{kInput, kWeights, kBias, Tensor(), past, Tensor(), Tensor::scalar(int32_t{kPast})};
  const std::vector<Tensor> y = run(inputs, 2, {{"past_present_share_buffer", int64_t{1}}});
  expect_close(y[0], attention_in_double(part(0), k, v, kScale, nothing), 1e-4);
  ASSERT_EQ(y[1].shape(), past.shape());
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_NEAR(value_at(half(y[1], 1), 1, 1, i, 3), value_at(i < kPast + kLength ? v : half(past, 1), 1, 1, i, 3),
                1e-5);
  }
}

TEST(ProjectedAttention, RefusesWhatDoesNotFit) {
  const auto expect_refused = [](ErrorKind kind, const std::string& text, Attributes attributes, const Tensor& weights,
                                 const Tensor& past = Tensor()) {
    attributes.try_emplace("num_heads", kHeads);
    const OpCase op{"Attention", 1, attributes, "com.microsoft"};
    expect_error(kind, text, [&] { run_op(op, {kInput, weights, Tensor(), Tensor(), past}, 2); });
  };
  const std::vector<int64_t> sizes{8, 8, 6}, unequal{8, 6, 6};
  expect_refused(ErrorKind::kModel, "num_heads", {{"num_heads", int64_t{0}}}, kWeights);
  expect_refused(ErrorKind::kUnsupported, "do_rotary", {{"do_rotary", int64_t{1}}}, kWeights);
  expect_refused(ErrorKind::kModel, "the first two equal", {{"qkv_hidden_sizes", unequal}}, kWeights);
  expect_refused(ErrorKind::kModel, "present", {{"qkv_hidden_sizes", sizes}}, random_tensor({kWidth, 22}));
  expect_refused(ErrorKind::kShape, "columns", {}, random_tensor({kWidth, 3 * kHidden + 3}));
  expect_refused(ErrorKind::kShape, "past", {}, kWeights, random_tensor({3, kBatch, kHeads, kPast, kSize}));
  expect_refused(ErrorKind::kModel, "past_sequence_length", {{"past_present_share_buffer", int64_t{1}}}, kWeights,
                 random_tensor({2, kBatch, kHeads, kPast, kSize}));
}

}  // namespace
}  // namespace linnet::testing::projected_attention
