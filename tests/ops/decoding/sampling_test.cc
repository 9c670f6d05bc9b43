#include <gtest/gtest.h>

#include <cmath>

#include "chain.h"

namespace linnet::testing {
namespace {

constexpr int kVocabulary = 5, kPrompts = 4000;

/// Returns how often each token follows token 0.
std::vector<double> shares(const Chain& chain, Attributes attributes, int seed = 3) {
  const Tensor found =
      run_op(on_chain("Sampling", chain, std::move(attributes)),
             {prompts(std::vector<int32_t>(kPrompts)), count(2), {}, {}, {}, {}, {}, {}, count(seed)})[0];
  std::vector<double> shares(kVocabulary);
  for (int i = 0; i < kPrompts; ++i) shares[size_t(found.data<int32_t>()[2 * i + 1])] += 1.0 / kPrompts;
  return shares;
}

Chain chain_of(const std::vector<float>& probabilities) {
  Chain chain{Tensor(DType::kFloat32, {kVocabulary, kVocabulary})};
  for (int i = 0; i < kVocabulary * kVocabulary; ++i) {
    chain.table.data<float>()[i] = std::log(probabilities[size_t(i % kVocabulary)]);
  }
  return chain;
}

void expect_shares(const std::vector<double>& got, const std::vector<double>& want) {
  for (int i = 0; i < kVocabulary; ++i) EXPECT_NEAR(got[size_t(i)], want[size_t(i)], 0.03) << i;
}

TEST(Sampling, DrawsTheMostProbableTokensByTheirProbabilities) {
  const Chain chain = chain_of({0.1F, 0.4F, 0.05F, 0.3F, 0.15F});
  expect_shares(shares(chain, {{"top_p", 1.0F}}), {0.1, 0.4, 0.05, 0.3, 0.15});
  expect_shares(shares(chain, {{"top_p", 0.6F}}), {0, 0.4 / 0.7, 0, 0.3 / 0.7, 0});
  expect_shares(shares(chain, {{"top_p", 0.6F}, {"custom", int64_t{1}}}), {0, 0.4 / 0.7, 0, 0.3 / 0.7, 0});
  expect_shares(shares(chain, {{"top_p", 0.1F}, {"min_tokens_to_keep", int64_t{3}}}),
                {0, 0.4 / 0.85, 0, 0.3 / 0.85, 0.15 / 0.85});
  expect_shares(shares(chain, {{"top_p", 1.0F}, {"temperature", 0.5F}}),
                {0.01 / 0.285, 0.16 / 0.285, 0.0025 / 0.285, 0.09 / 0.285, 0.0225 / 0.285});
  expect_shares(shares(chain, {{"top_p", 0.0F}}), {0, 1, 0, 0, 0});
}

TEST(Sampling, ASeedDecidesWhatIsDrawn) {
  const Chain chain = chain_of({0.2F, 0.2F, 0.2F, 0.2F, 0.2F});
  EXPECT_EQ(shares(chain, {{"top_p", 1.0F}}), shares(chain, {{"top_p", 1.0F}}));
  EXPECT_NE(shares(chain, {{"top_p", 1.0F}}, 3), shares(chain, {{"top_p", 1.0F}}, 4));
}

TEST(Sampling, PenalizesWhatThePresenceMaskNames) {
  const Chain chain = chain_of({0.1F, 0.4F, 0.05F, 0.3F, 0.15F});
  const Tensor mask = Tensor::of(Shape{1, kVocabulary}, std::vector<int32_t>{0, 1, 0, 1, 0});
  const auto outputs = run_op(on_chain("Sampling", chain, {{"presence_penalty", 9.0F}, {"top_p", 1e-6F}}),
                              {prompts({0}), count(3), {}, {}, {}, {}, {}, mask, count(1)}, 2);
  expect_close(outputs[0], Tensor::of(Shape{1, 3}, std::vector<int32_t>{0, 4, 4}));
  const Attributes little{{"presence_penalty", 0.1F}, {"top_p", 1e-6F}};
  expect_close(
      run_op(on_chain("Sampling", chain, little), {prompts({0}), count(3), {}, {}, {}, {}, {}, mask, count(1)})[0],
      Tensor::of(Shape{1, 3}, std::vector<int32_t>{0, 1, 1}));
  const float filtered = -1e20F;
  expect_close(
      outputs[1],
      Tensor::of(Shape{1, kVocabulary}, std::vector<float>{filtered, filtered, filtered, filtered, std::log(0.15F)}), 0,
      1e-6);
}

TEST(Sampling, RefusesATemperatureThatIsNotPositive) {
  expect_error(ErrorKind::kModel, "temperature must be positive", [] {
    run_op(on_chain("Sampling", chain_of({1, 1, 1, 1, 1}), {{"temperature", 0.0F}}), {prompts({0}), count(3)});
  });
}

}  // namespace
}  // namespace linnet::testing
