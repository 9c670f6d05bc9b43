#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qattention {
namespace {

constexpr int64_t kBatch = 2, kLength = 3, kWidth = 4, kHeads = 2, kSize = 2, kPast = 2, kHidden = kHeads * kSize;
constexpr int64_t kKeys = kPast + kLength;

const Tensor kInput = scattered<uint8_t>({kBatch, kLength, kWidth}), kZero = Tensor::scalar(uint8_t{120});
const Tensor kWeight = scattered<int8_t>({kWidth, 3 * kHidden}, 59), kBias = random_tensor({3 * kHidden}, 3);
const Tensor kScale = Tensor::scalar(0.01f), kWeightZero = Tensor::scalar(int8_t{-3});
const Tensor kPastState = random_tensor({2, kBatch, kHeads, kPast, kSize}, 5);

/// Returns an element of q (0), k (1) or v (2).
double projected(int64_t part, int64_t b, int64_t t, int64_t head, int64_t i) {
  const int64_t column = part * kHidden + head * kSize + i;
  double sum = 0;
  for (int64_t k = 0; k < kWidth; ++k) {
    const int x = kInput.data<uint8_t>()[(b * kLength + t) * kWidth + k] - 120;
    sum += x * (kWeight.data<int8_t>()[k * 3 * kHidden + column] + 3);
  }
  return sum * double(0.01f) * double(0.01f) + kBias.data<float>()[column];
}

/// Returns an element at any position, past ones first.
double state(int64_t part, int64_t b, int64_t t, int64_t head, int64_t i) {
  if (t >= kPast) return projected(part, b, t - kPast, head, i);
  return kPastState.data<float>()[((((part - 1) * kBatch + b) * kHeads + head) * kPast + t) * kSize + i];
}

/// seen(b, query, key) returns whether a key is attended to.
template <class Seen>
Tensor attention(Seen&& seen) {
  Tensor y(DType::kFloat32, {kBatch, kLength, kHidden});
  for (int64_t at = 0; at < y.size(); ++at) {
    const int64_t b = at / (kLength * kHidden), t = at / kHidden % kLength, head = at / kSize % kHeads, i = at % kSize;
    double sum = 0, value = 0;
    for (int64_t key = 0; key < kKeys; ++key) {
      if (!seen(b, t, key)) continue;
      double score = 0;
      for (int64_t j = 0; j < kSize; ++j) score += projected(0, b, t, head, j) * state(1, b, key, head, j);
      const double power = std::exp(score / std::sqrt(double(kSize)));
      sum += power;
      value += power * state(2, b, key, head, i);
    }
    y.data<float>()[at] = float(value / sum);
  }
  return y;
}

std::vector<Tensor> run(const Attributes& attributes, const Tensor& mask) {
  Attributes all = attributes;
  all["num_heads"] = kHeads;
  return run_expanded("QAttention", all, {kInput, kWeight, kBias, kScale, kScale, mask, kZero, kWeightZero, kPastState},
                      2);
}

TEST(QAttention, AttendsToPastAndPresent) {
  const auto y = run({}, Tensor());
  expect_close(y[0], attention([](int64_t, int64_t, int64_t) { return true; }), 1e-4, 1e-4);
  ASSERT_EQ(y[1].shape(), (Shape{2, kBatch, kHeads, kKeys, kSize}));
  for (int64_t at = 0; at < y[1].size(); ++at) {
    const int64_t part = at / (y[1].size() / 2), b = at / (kHeads * kKeys * kSize) % kBatch;
    const double want = state(part + 1, b, at / kSize % kKeys, at / (kKeys * kSize) % kHeads, at % kSize);
    EXPECT_NEAR(y[1].data<float>()[at], want, 1e-4);
  }
}

TEST(QAttention, SeesNoKeyBehindTheQuery) {
  expect_close(run({{"unidirectional", int64_t{1}}}, Tensor())[0],
               attention([](int64_t, int64_t t, int64_t key) { return key <= kPast + t; }), 1e-4, 1e-4);
}

TEST(QAttention, TakesEndsAndStartsOfKeys) {
  const int ends[] = {3, 5}, starts[] = {1, 2};
  const auto before_end = [&](int64_t b, int64_t, int64_t key) { return key < ends[b]; };
  expect_close(run({}, Tensor::of<int32_t>({3, 5}))[0], attention(before_end), 1e-4, 1e-4);
  expect_close(run({}, Tensor::of<int32_t>({3, 5, 1, 2}))[0],
               attention([&](int64_t b, int64_t, int64_t key) { return key < ends[b] && key >= starts[b]; }), 1e-4,
               1e-4);
}

/// Returns a mask of 0, 1, 1, 0, 1, 1 ...
Tensor pattern(const Shape& shape) {
  Tensor mask(DType::kInt32, shape);
  for (int64_t i = 0; i < mask.size(); ++i) mask.data<int32_t>()[i] = int32_t(i % 3 != 0);
  return mask;
}

TEST(QAttention, TakesMasksOfEveryRank) {
  const auto seen = [](int64_t i) { return i % 3 != 0; };
  expect_close(run({}, pattern({kBatch, kKeys}))[0],
               attention([&](int64_t b, int64_t, int64_t key) { return seen(b * kKeys + key); }), 1e-4, 1e-4);
  expect_close(run({}, pattern({kBatch, kLength, kKeys}))[0],
               attention([&](int64_t b, int64_t t, int64_t key) { return seen((b * kLength + t) * kKeys + key); }),
               1e-4, 1e-4);
  expect_close(run({}, pattern({kBatch, 1, 7, 7}))[0],
               attention([&](int64_t b, int64_t t, int64_t key) { return seen((b * 7 + kPast + t) * 7 + key); }), 1e-4,
               1e-4);
  expect_close(run({}, pattern({kBatch, 1}))[0], attention([](int64_t, int64_t, int64_t) { return true; }), 1e-4, 1e-4);
}

TEST(QAttention, RefusesWhatDoesNotFit) {
  const auto run_with = [](const Attributes& attributes, const Tensor& mask) {
    run_op({"QAttention", 1, attributes, "com.microsoft"}, {kInput, kWeight, kBias, kScale, kScale, mask});
  };
  expect_error(ErrorKind::kModel, "num_heads", [&] { run_with({}, Tensor()); });
  expect_error(ErrorKind::kShape, "num_heads", [&] { run_with({{"num_heads", int64_t{3}}}, Tensor()); });
  const Attributes two{{"num_heads", int64_t{2}}};
  expect_error(ErrorKind::kShape, "mask_index", [&] { run_with(two, Tensor::of<int32_t>({1, 2, 3})); });
  expect_error(ErrorKind::kShape, "mask_index", [&] { run_with(two, pattern({kBatch, 1, 2, 2})); });
  expect_error(ErrorKind::kType, "mask_index", [&] { run_with(two, random_tensor({2})); });
  for (const char* name : {"do_rotary", "past_present_share_buffer"}) {
    expect_error(ErrorKind::kUnsupported, name, [&] {
      run_with({{"num_heads", int64_t{2}}, {name, int64_t{1}}}, Tensor());
    });
  }
}

}  // namespace
}  // namespace linnet::testing::qattention
