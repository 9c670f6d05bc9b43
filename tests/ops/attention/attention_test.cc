#include <gtest/gtest.h>

#include "attention_reference.h"

namespace linnet::testing {
namespace {

using Settings = AttentionSettings;
using Values = AttentionValues;

TEST(Attention, FollowsTheFunctionBody) {
  expect_attention({});
  expect_attention({.q_length = 0});
  expect_attention({.q_length = 4});
  expect_attention({.joined_heads = true, .scale = 0.7f});
  expect_attention({.q_heads = 6, .kv_heads = 2, .size = 5, .v_size = 3, .causal = true});
  expect_attention(
      {.q_heads = 4, .kv_heads = 1, .q_length = 1, .past_length = 300, .joined_heads = true, .softcap = 1.5f});
  // A single query among several new keys attends only to the first of them.
  expect_attention({.q_length = 1, .new_length = 6, .past_length = 3, .causal = true});
}

TEST(Attention, SplitsTheQueriesOfASingleHead) {
  expect_attention(
      {.batch = 1, .q_heads = 5, .kv_heads = 1, .q_length = 1, .new_length = 3000, .size = 64, .v_size = 64});
}

TEST(Attention, FollowsTheFunctionBodyForManyQueries) {
  expect_attention({.q_length = 70, .new_length = 133, .size = 40, .v_size = 24});
  expect_attention(
      {.batch = 1, .q_heads = 4, .q_length = 65, .new_length = 150, .size = 17, .v_size = 33, .joined_heads = true});
  expect_attention(
      {.batch = 1, .q_heads = 1, .kv_heads = 1, .q_length = 17, .new_length = 500, .size = 400, .v_size = 2});
  expect_attention({.q_length = 90, .new_length = 60, .past_length = 30, .causal = true, .mode = 3});
  expect_attention({.batch = 1, .q_heads = 4, .q_length = 100, .new_length = 100, .left = 9, .right = 4, .mode = 3});
}

TEST(Attention, ComposesMasks) {
  for (const int64_t q_length : {2, 40}) {
    const int64_t n = q_length + 30;
    const Settings s{.q_heads = 4, .q_length = q_length, .new_length = n, .causal = true, .mode = 2};
    Settings masked = s;
    for (const Shape& shape : {Shape{n}, Shape{q_length, n}, Shape{4, q_length, n}, Shape{2, 1, q_length, n}}) {
      masked.mask = random_bools(shape, 8);
      expect_attention(masked);
      masked.mask = with_infinities(random_tensor(shape, 9));
      expect_attention(masked);
    }
    masked.left = 5;
    masked.keys = {n - 4, q_length - 2};
    expect_attention(masked);
    masked.mask = random_bools({q_length, n - 4}, 8);
    expect_attention(masked);
  }
}

TEST(Attention, GivesTheScoresOfEveryStage) {
  for (int64_t mode = 0; mode < 4; ++mode) {
    for (const int64_t q_length : {2, 33}) {
      expect_attention({.q_length = q_length, .past_length = 3, .causal = true, .mode = mode, .softcap = 2});
    }
  }
}

TEST(Attention, BroadcastsALastMaskDimOf1BeforeOpset24) {
  Settings s{.opset = 23};
  const Values values = random_values(s);
  const Tensor plain = attend(s, values)[0];
  s.mask = random_tensor({5, 1});
  expect_close(attend(s, values)[0], plain, 1e-5);  // A constant that is added to all scores of a row has no effect.
  s.opset = 24;
  expect_close(attend(s, values)[0], reference(s, values).y, 1e-5);  // Only the first key is attended to.
}

TEST(Attention, GivesZerosToQueriesWithoutKeys) {
  for (const int64_t q_length : {4, 40}) {
    Settings s{.q_length = q_length, .mode = 3};
    const Values values = random_values(s);
    s.mask = random_bools({q_length, 7}, 3);
    std::fill_n(s.mask.data<bool>() + 7, 7, false);
    const std::vector<Tensor> got = attend(s, values);
    expect_close(got[0], reference(s, values).y, 1e-5);
    for (int64_t d = 0; d < 8; ++d) EXPECT_EQ(got[0].data<float>()[8 + d], 0.0f);
    for (int64_t j = 0; j < 7; ++j) EXPECT_EQ(got[3].data<float>()[7 + j], 0.0f);
  }
}

TEST(Attention, GivesNanToQueriesWithoutKeysWhereAsked) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const int64_t queries : {2, 30}) {
      const auto x = [&](int64_t length, unsigned seed) {
        return cast_to(random_tensor({1, 2, length, 9}, seed), dtype);
      };
      Tensor mask(DType::kBool, {queries, 4});
      for (int64_t i = 0; i < mask.size(); ++i) mask.data<bool>()[i] = i >= 4 && i % 4 != 2;
      const std::vector<Tensor> inputs{x(queries, 1), x(4, 2), x(4, 3), mask};
      Tensor want = cast_to(run_op({"Attention", 23, {{"scale", 0.5f}}}, inputs)[0], DType::kFloat32);
      for (const int64_t head : {0, 1}) {
        std::fill_n(want.data<float>() + head * queries * 9, 9, std::numeric_limits<float>::quiet_NaN());
      }
      expect_close(
          cast_to(run_op({"Attention", 23, {{"nan_without_keys", int64_t{1}}, {"scale", 0.5f}}, "linnet"}, inputs)[0],
                  DType::kFloat32),
          want);
    }
  }
}

TEST(Attention, DisallowedKeysMayScoreNaN) {
  for (const int64_t q_length : {1, 30}) {
    Settings s{.q_length = q_length};
    Values values = random_values(s);
    s.mask = with_infinities(random_tensor({7}, 5));
    s.mask.data<float>()[3] = float(kNever);
    const Tensor want = attend(s, values)[0];
    for (int64_t head = 0; head < 4; ++head) values.k.data<float>()[(head * 7 + 3) * 8] = NAN;
    expect_close(attend(s, values)[0], want, 1e-6);
  }
}

TEST(Attention, JoinsPastAndNewKeysAndValues) {
  for (const bool joined_heads : {false, true}) {
    const Settings s{.new_length = 2, .past_length = 3, .size = 4, .v_size = 5, .joined_heads = joined_heads};
    const Values values = random_values(s);
    const std::vector<Tensor> got = attend(s, values);
    for (int which = 1; which <= 2; ++which) {
      const Tensor &past = which == 1 ? values.past_key : values.past_value, &now = which == 1 ? values.k : values.v;
      expect_close(got[size_t(which)], run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {past, now})[0]);
    }
    const std::vector<Tensor> inputs{values.q, values.k, values.v, {}, values.past_key, values.past_value};
    if (!joined_heads) expect_close(run_op({"Attention", 23}, inputs)[0], got[0]);  // Joined in scratch memory.
  }
}

TEST(Attention, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t q_length : {1, 2, 150}) {
    const Settings s{
        .q_heads = 6, .q_length = q_length, .new_length = 700, .size = 33, .joined_heads = true, .causal = true};
    const Values values = random_values(s);
    const std::vector<Tensor> one = attend(s, values, DType::kFloat32, Isa::kAuto, 1);
    for (const int threads : {2, 5, 16}) {
      const std::vector<Tensor> many = attend(s, values, DType::kFloat32, Isa::kAuto, threads);
      EXPECT_TRUE(identical(many[0], one[0]) && identical(many[3], one[3])) << threads;
    }
  }
}

}  // namespace
}  // namespace linnet::testing
