#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "chain.h"

namespace linnet::testing {
namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();

double log_probability(const Tensor& table, int32_t from, int32_t to) {
  const float* row = table.data<float>() + from * table.dim(1);
  double sum = 0;
  for (int64_t i = 0; i < table.dim(1); ++i) sum += std::exp(double(row[i]));
  return double(row[to]) - std::log(sum);
}

struct Found {
  double sum;
  std::vector<int32_t> tokens;
  bool operator<(const Found& other) const { return sum > other.sum; }
};

/// Returns all continuations of a token by `steps` others, the best first.
std::multiset<Found> all_sequences(const Tensor& table, int32_t first, int steps) {
  std::multiset<Found> found{{0, {first}}};
  for (int step = 0; step < steps; ++step) {
    std::multiset<Found> longer;
    for (const auto& [sum, tokens] : found) {
      for (int32_t next = 0; next < table.dim(0); ++next) {
        std::vector<int32_t> with = tokens;
        with.push_back(next);
        longer.insert({sum + log_probability(table, tokens.back(), next), with});
      }
    }
    found = std::move(longer);
  }
  return found;
}

TEST(BeamSearch, FindsTheBestOfAllSequencesWithManyBeams) {
  const Chain chain{random_tensor({4, 4})};
  const int steps = 3, beams = 64, best = 20;
  const auto outputs = run_op(on_chain("BeamSearch", chain),
                              {prompts({2, 0}), count(1 + steps), count(0), count(beams), count(best)}, 3);
  ASSERT_EQ(outputs[0].shape(), (Shape{2, best, 1 + steps}));
  ASSERT_EQ(outputs[2].shape(), (Shape{steps, 2, beams, 4}));
  for (const int prompt : {0, 1}) {
    const auto all = all_sequences(chain.table, prompt == 0 ? 2 : 0, steps);
    auto want = all.begin();
    for (int i = 0; i < best; ++i, ++want) {
      const int32_t* tokens = outputs[0].data<int32_t>() + (prompt * best + i) * (1 + steps);
      EXPECT_EQ(std::vector<int32_t>(tokens, tokens + 1 + steps), want->tokens) << i;
      EXPECT_NEAR(outputs[1].data<float>()[prompt * best + i], want->sum / (1 + steps), 1e-5);
    }
  }
  // The first step's scores are those of one beam; the other beams are excluded.
  for (int32_t token = 0; token < 4; ++token) {
    EXPECT_NEAR(outputs[2].data<float>()[token], log_probability(chain.table, 2, token), 1e-5);
    EXPECT_LT(outputs[2].data<float>()[4 + token], -9e8);
  }
}

TEST(BeamSearch, ScoresOfHalvesAreHalves) {
  Chain chain{random_tensor({4, 4})};
  const Tensor penalty = cast_to(Tensor::of<float>({1}), DType::kFloat16);
  const std::vector<Tensor> inputs{prompts({1}), count(4), count(0), count(2), count(2)};
  std::vector<Tensor> halves = inputs;
  halves.push_back(penalty);
  const auto want = run_op(on_chain("BeamSearch", chain), inputs, 3);
  const auto got = run_op(on_chain("BeamSearch", chain), halves, 3);
  expect_close(got[0], want[0]);
  for (const size_t i : {size_t{1}, size_t{2}}) expect_close(got[i], cast_to(want[i], DType::kFloat16));
  // The decoder returns float16 logits.
  chain.table = cast_to(chain.table, DType::kFloat16);
  chain.past.dtype = DType::kFloat16;
  const auto of_halves = run_op(on_chain("BeamSearch", chain), inputs, 2);
  expect_close(of_halves[0], want[0]);
  expect_close(of_halves[1], want[1], 1e-2);
}

TEST(BeamSearch, ASequenceEndsBeforeItsLastToken) {
  // The sequence is 0 -> 1 -> 2, and 2 is the end.
  const Chain chain{Tensor::of(Shape{3, 3}, std::vector<float>{0, 9, 0, 0, 0, 9, 9, 0, 0})};
  const Attributes attributes{
      {"eos_token_id", int64_t{2}}, {"pad_token_id", int64_t{7}}, {"early_stopping", int64_t{1}}};
  const auto found = [&](int least) {
    return run_op(on_chain("BeamSearch", chain, attributes),
                  {prompts({0}), count(4), count(least), count(1), count(1)})[0];
  };
  expect_close(found(0), Tensor::of(Shape{1, 1, 4}, std::vector<int32_t>{0, 1, 7, 7}));
  expect_close(found(3), Tensor::of(Shape{1, 1, 4}, std::vector<int32_t>{0, 1, 0, 1}));
}

TEST(BeamSearch, AnEndThatIsNotAmongTheBestDoesNotCount) {
  // The table contains the probabilities of the next tokens; 3 is the end. After 0 1, the end is the best of two beams;
  // after 0 2, it is the third.
  Chain chain{Tensor::of(Shape{4, 4}, std::vector<float>{0.09F, 0.5F, 0.4F, 0.01F, 0.4F, 1e-9F, 1e-9F, 0.6F,  //
                                                         0.3F, 0.15F, 0.1F, 0.45F, 0.25F, 0.25F, 0.25F, 0.25F})};
  for (int64_t i = 0; i < 16; ++i) chain.table.data<float>()[i] = std::log(chain.table.data<float>()[i]);
  const Attributes attributes{
      {"eos_token_id", int64_t{3}}, {"pad_token_id", int64_t{7}}, {"early_stopping", int64_t{1}}};
  const auto outputs =
      run_op(on_chain("BeamSearch", chain, attributes), {prompts({0}), count(4), count(0), count(2), count(2)}, 2);
  expect_close(outputs[0], Tensor::of(Shape{1, 2, 4}, std::vector<int32_t>{0, 1, 0, 1, 0, 1, 7, 7}));
  expect_close(outputs[1],
               Tensor::of(Shape{1, 2}, std::vector<float>{std::log(0.5F * 0.4F * 0.5F) / 4, std::log(0.3F) / 2}), 1e-5);
}

TEST(BeamSearch, LogitsThatAreNoNumbersAreTheLowest) {
  Chain chain{random_tensor({4, 4})};
  std::fill_n(chain.table.data<float>(), 16, kNaN);
  for (const char* op : {"BeamSearch", "GreedySearch", "Sampling"}) {
    const bool beams = op[0] == 'B';
    std::vector<Tensor> inputs{prompts({1, 2}), count(5)};
    if (beams) inputs.insert(inputs.end(), {count(0), count(3), count(3)});
    const Tensor found = run_op(on_chain(op, chain), inputs)[0];
    for (const int32_t token : found.values<int32_t>()) EXPECT_TRUE(token >= 0 && token < 4) << op;
  }
  // A row of NaN leaves the other rows unchanged.
  Chain partly{random_tensor({4, 4})};
  const std::vector<Tensor> inputs{prompts({1}), count(3)};
  partly.table.data<float>()[4] = kNaN;
  EXPECT_NE(run_op(on_chain("GreedySearch", partly), inputs)[0].data<int32_t>()[1], 0);
}

TEST(BeamSearch, WithoutASequenceThereIsNone) {
  const Chain chain{random_tensor({4, 4})};
  const auto outputs =
      run_op(on_chain("BeamSearch", chain), {Tensor(DType::kInt32, {0, 2}), count(5), count(0), count(3), count(2)}, 2);
  EXPECT_EQ(outputs[0].shape(), (Shape{0, 2, 5}));
  EXPECT_EQ(outputs[1].shape(), (Shape{0, 2}));
  EXPECT_EQ(run_op(on_chain("GreedySearch", chain), {Tensor(DType::kInt32, {0, 2}), count(5)})[0].shape(),
            (Shape{0, 5}));
}

TEST(BeamSearch, RefusesParametersOutOfRange) {
  const Chain chain{random_tensor({4, 4})};
  const auto search = [&](const Tensor& ids, int length, int beams, int best, std::vector<Tensor> more = {}) {
    std::vector<Tensor> inputs{ids, count(length), count(0), count(beams), count(best)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    run_op(on_chain("BeamSearch", chain), inputs);
  };
  const Tensor ids = prompts({1, 2});
  expect_error(ErrorKind::kShape, "max_length must be at least 2, got 1", [&] { search(ids, 1, 1, 1); });
  expect_error(ErrorKind::kShape, "num_beams must be at least 1, got 0", [&] { search(ids, 5, 0, 1); });
  expect_error(ErrorKind::kShape, "num_return_sequences must be at most num_beams, 2, got 3",
               [&] { search(ids, 5, 2, 3); });
  expect_error(ErrorKind::kShape, "at least one token", [&] { search(Tensor(DType::kInt32, {2, 0}), 5, 1, 1); });
  expect_error(ErrorKind::kShape, "repetition_penalty must be positive", [&] {
    search(ids, 5, 1, 1, {{}, Tensor::of<float>({0})});
  });
  expect_error(ErrorKind::kShape, "vocab_mask must have the shape [4]", [&] {
    search(ids, 5, 1, 1, {{}, {}, Tensor::of<int32_t>({1, 1})});
  });
  expect_error(ErrorKind::kShape, "attention_mask must have the shape [2,1]", [&] {
    search(ids, 5, 1, 1, {{}, {}, {}, {}, prompts({1})});
  });
  expect_error(ErrorKind::kType, "vocab_mask", [&] {
    search(ids, 5, 1, 1, {{}, {}, Tensor::of<int64_t>({1, 1, 1, 1})});
  });
  expect_error(ErrorKind::kUnsupported, "logits_processor", [&] {
    search(ids, 5, 1, 1, {{}, {}, {}, {}, {}, {}, count(1)});
  });
}

TEST(BeamSearch, RefusesBodiesOfOtherForms) {
  const auto search = [](const Chain& chain, Attributes attributes = {}) {
    run_op(on_chain("GreedySearch", chain, std::move(attributes)), {prompts({1}), count(3)});
  };
  const Tensor table = random_tensor({4, 4});
  const Fact past(DType::kFloat32, Dims{2, Dim(), 1, Dim(), 3});
  expect_error(ErrorKind::kType, "input 0 of decoder must be int32", [&] { search({table, past, DType::kInt64}); });
  expect_error(ErrorKind::kUnsupported, "share a buffer", [&] { search({table, past, DType::kInt32, 1}); });
  expect_error(ErrorKind::kModel, "how many heads its past 0 has", [&] {
    search({table, Fact(DType::kFloat32, Dims{2, Dim(), Dim(), Dim(), 3})});
  });
  expect_error(ErrorKind::kType, "must be float32 or float16", [&] {
    search({table, Fact(DType::kInt64, Dims{2, Dim(), 1, Dim(), 3})});
  });
  expect_error(ErrorKind::kShape, "logits must be [1, length, vocabulary]", [&] {
    search({table, past, DType::kInt32, 0, true});
  });
  expect_error(ErrorKind::kShape, "vocabulary of at least 5", [&] {
    search({table, past}, {{"vocab_size", int64_t{5}}});
  });
  expect_error(ErrorKind::kModel, "the attribute encoder is missing", [&] {
    search({table, past}, {{"model_type", int64_t{1}}});
  });
  expect_error(ErrorKind::kModel, "model_type must be 0, 1 or 2", [&] {
    search({table, past}, {{"model_type", int64_t{3}}});
  });
}

}  // namespace
}  // namespace linnet::testing
