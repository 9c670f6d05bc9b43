#include <gtest/gtest.h>

#include <fstream>

#include "passes/passes.h"
#include "support/counted_new.h"
#include "support/decoder.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Form = DecoderForm;

Context stateful(const Decoder& decoder, const Model& model, int64_t capacity = 0, const ContextOptions& options = {}) {
  Context context(model, options);
  for (size_t i = 0; i < 4; ++i) {
    context.bind_state(model.outputs()[1 + i].name, model.inputs()[1 + i].name,
                       Tensor(DType::kFloat32, decoder.state_shape(i, 0)), capacity);
  }
  return context;
}

/// Compares steps with states to steps whose outputs are passed back as inputs.
class Pair {
 public:
  explicit Pair(const Decoder& decoder) : Pair(decoder, decoder.model()) {}
  Pair(const Decoder& decoder, const Model& model)
      : decoder_(decoder), model_(model), by_hand_(model_), context(stateful(decoder, model_)) {
    for (size_t i = 0; i < 4; ++i) past_.emplace_back(DType::kFloat32, decoder.state_shape(i, 0));
  }

  void step(int64_t steps, unsigned seed) {
    auto inputs = decoder_.inputs(past_[0].dim(2), steps, seed);
    const auto got = context.run(inputs);
    for (size_t i = 0; i < 4; ++i) inputs.emplace_back(model_.inputs()[1 + i].name, past_[i]);
    const auto expected = by_hand_.run(inputs);
    EXPECT_TRUE(identical(got[0], expected[0])) << "past " << past_[0].shape();
    for (size_t i = 5; i < got.size(); ++i) EXPECT_TRUE(identical(got[i], expected[i]));
    past_.assign(expected.begin() + 1, expected.begin() + 5);
  }

  void expect_states() {
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(identical(context.state(model_.inputs()[1 + i].name), past_[i])) << i;
  }

  /// Sets the first states, to the given number of rows.
  void set(int64_t rows, unsigned seed, size_t count = Decoder::kGrowing) {
    for (size_t i = 0; i < count; ++i) {
      past_[i] = random_tensor(decoder_.state_shape(i, rows), seed + unsigned(i));
      context.set_state(model_.inputs()[1 + i].name, past_[i]);
    }
  }

  void truncate(int64_t rows) {
    context.truncate_states(rows);
    for (size_t i = 0; i < 4; ++i) past_[i] = context.state(model_.inputs()[1 + i].name).clone();
  }

 private:
  const Decoder& decoder_;
  Model model_;
  Context by_hand_;
  std::vector<Tensor> past_;

 public:
  Context context;
};

TEST(GrowingStates, GainTheRowsOfStepsOfSeveralLengths) {
  const Decoder decoder(Form::kAttention);
  const Model model = decoder.model();
  for (const std::vector<int64_t>& steps :
       {std::vector<int64_t>{3, 1, 1, 3, 1, 3, 1, 1, 1, 3}, {2, 3, 3, 3, 3}, {2, 4, 2, 2, 4, 8, 4, 4}}) {
    Pair pair(decoder, model);
    for (size_t i = 0; i < steps.size(); ++i) {
      pair.step(steps[i], unsigned(i));
      pair.expect_states();
    }
  }
}

TEST(GrowingStates, GainTheRowsOfStepsBehindALongerPrefix) {
  const Decoder decoder(Form::kAttention);
  Pair pair(decoder);
  pair.step(2, 1);
  pair.step(1, 2);
  pair.set(10, 3);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 10 + i);
  pair.expect_states();
}

TEST(GrowingStates, GainTheRowsOfStepsBetweenTruncations) {
  const Decoder decoder(Form::kAttentionWithPast, {.mask = true});
  Pair pair(decoder);
  pair.step(10, 1);
  for (const int64_t kept : {12, 15, 16, 20, 21}) {
    pair.step(5, unsigned(kept));
    pair.truncate(kept);
    pair.expect_states();
  }
}

TEST(GrowingStates, OfOtherLengthsThanEachOtherAreFedBack) {
  const Decoder decoder(Form::kAttention);
  Pair pair(decoder);
  for (unsigned i = 0; i < 5; ++i) pair.step(1, i);
  pair.set(9, 3, 2);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 10 + i);
  pair.expect_states();
}

/// The rows of the other layer are inputs and outputs of each run.
TEST(GrowingStates, OfOneContextAreNotThoseOfAnother) {
  const Decoder decoder(Form::kAttention);
  const Model model = decoder.model();
  Pair all(decoder, model);
  for (unsigned i = 0; i < 6; ++i) all.step(1, i);
  Context context(model), by_hand(model);
  std::vector<Tensor> past;
  for (size_t i = 0; i < 4; ++i) past.emplace_back(DType::kFloat32, decoder.state_shape(i, 0));
  for (size_t i = 0; i < 2; ++i) context.bind_state(model.outputs()[1 + i].name, model.inputs()[1 + i].name, past[i]);
  for (unsigned i = 0; i < 8; ++i) {
    auto inputs = decoder.inputs(past[0].dim(2), 1, i);
    for (size_t k = 2; k < 4; ++k) inputs.emplace_back(model.inputs()[1 + k].name, past[k]);
    const auto got = context.run(inputs);
    for (size_t k = 0; k < 2; ++k) inputs.emplace_back(model.inputs()[1 + k].name, past[k]);
    const auto expected = by_hand.run(inputs);
    for (const size_t k : {0, 3, 4}) EXPECT_TRUE(identical(got[k], expected[k])) << "output " << k << ", run " << i;
    past.assign(expected.begin() + 1, expected.begin() + 5);
    EXPECT_TRUE(identical(context.state("past0.k"), past[0])) << i;
  }
}

class GrowingStatesOf : public ::testing::TestWithParam<std::tuple<Form, bool, bool, int64_t>> {};

TEST_P(GrowingStatesOf, GiveTheBitsOfStatesFedBackByHand) {
  const auto [form, mask, positions, batch] = GetParam();
  const Decoder decoder(form, {.mask = mask, .positions = positions}, batch);
  Pair pair(decoder);
  pair.step(3, 1);
  for (unsigned i = 0; i < 70; ++i) pair.step(1, 10 + i);
  pair.expect_states();
  pair.step(5, 2);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 100 + i);
  pair.truncate(9);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 200 + i);
  pair.expect_states();
}

INSTANTIATE_TEST_SUITE_P(, GrowingStatesOf,
                         ::testing::Combine(::testing::Values(Form::kWritten, Form::kAttention,
                                                              Form::kAttentionWithPast, Form::kGroupQuery),
                                            ::testing::Bool(), ::testing::Bool(), ::testing::Values(1, 2)));

/// Returns the inputs, by position, of steps of one token each, from `past` rows on.
std::vector<std::vector<Tensor>> steps_of(const Decoder& decoder, int64_t past, int count) {
  std::vector<std::vector<Tensor>> steps;
  for (int i = 0; i < count; ++i) {
    std::vector<Tensor>& inputs = steps.emplace_back(5);
    const auto named = decoder.inputs(past + i, 1, 2);
    inputs[0] = named[0].second;
    if (named.size() > 1) inputs.push_back(named[1].second);
  }
  return steps;
}

int64_t resident_pages() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

void expect_no_plan_in_a_thousand_steps(const Decoder& decoder) {
  int plans = 0;
  ModelOptions options;
  options.log = [&](LogLevel, std::string_view text) { plans += text.starts_with("planned"); };
  const Model model = decoder.model(options);
  Context context = stateful(decoder, model, 1100, {.executor = make_serial_executor()});
  context.run(decoder.inputs(0, 3, 1));
  const auto steps = steps_of(decoder, 3, 1005);
  for (size_t i = 0; i < 5; ++i) context.run(steps[i]);
  const int64_t pages = resident_pages();
  const int64_t before = allocation_count();
  plans = 0;
  for (size_t i = 5; i < steps.size(); ++i) context.run(steps[i]);
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_EQ(plans, 0);
  EXPECT_LT(resident_pages() - pages, 64);
  EXPECT_EQ(context.state("past0.k").dim(2), 1008);
}

TEST_P(GrowingStatesOf, AllocateNothingAndPlanNothingForAThousandSteps) {
  const auto [form, mask, positions, batch] = GetParam();
  expect_no_plan_in_a_thousand_steps(Decoder(form, {.mask = mask, .positions = positions}, batch));
}

/// The form in which torch traces a model that wraps its caches.
TEST(GrowingStates, AreWrittenInPlaceWhereSizesAreReadOneByOne) {
  const Decoder decoder(Form::kWritten, {.mask = true, .positions = true, .traced = true});
  expect_no_plan_in_a_thousand_steps(decoder);
  Pair pair(decoder);
  pair.step(3, 1);
  for (unsigned i = 0; i < 20; ++i) pair.step(1, 10 + i);
  pair.expect_states();
}

TEST(GrowingStates, ForksGoTheirOwnWays) {
  const Decoder decoder(Form::kAttention, {});
  const Model model = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, model);
  for (unsigned i = 0; i < 6; ++i) {
    context.run(decoder.inputs(i, 1, i));
    expected.run(decoder.inputs(i, 1, i));
  }
  Context fork = context.fork();
  for (unsigned i = 6; i < 9; ++i) {
    fork.run(decoder.inputs(i, 1, 50 + i));
    EXPECT_TRUE(identical(context.run(decoder.inputs(i, 1, i))[0], expected.run(decoder.inputs(i, 1, i))[0]));
  }
  EXPECT_TRUE(identical(context.state("past1.v"), expected.state("past1.v")));
  EXPECT_FALSE(identical(fork.state("past1.v"), expected.state("past1.v")));
}

TEST(GrowingStates, StayAsTheyAreWhereARunFails) {
  const Decoder decoder(Form::kAttention, {.mask = true});
  const Model model = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, model);
  for (int64_t i = 0; i < 6; ++i) {
    context.run(decoder.inputs(i, 1, unsigned(i)));
    expected.run(decoder.inputs(i, 1, unsigned(i)));
  }
  const auto cancelled = std::make_shared<CancellationToken>();
  cancelled->cancel();
  expect_error(ErrorKind::kCancelled, "", [&] { context.run(decoder.inputs(6, 1, 9), {.cancellation = cancelled}); });
  expect_error(ErrorKind::kShape, "", [&] { context.run(decoder.inputs(8, 1, 9)); });
  EXPECT_TRUE(identical(context.state("past0.k"), expected.state("past0.k")));
  EXPECT_TRUE(identical(context.run(decoder.inputs(6, 1, 6))[0], expected.run(decoder.inputs(6, 1, 6))[0]));
}

TEST(GrowingStates, ThatOtherNodesReadAreFedBack) {
  const Decoder decoder(Form::kAttention, {.sum = true});
  Pair pair(decoder);
  for (unsigned i = 0; i < 6; ++i) pair.step(1, i);
  pair.expect_states();
}

TEST(GrowingStates, WorkInGuardedMemory) {
  const Decoder decoder(Form::kWritten, {.mask = true, .positions = true});
  const Model model = decoder.model({.guard_memory = true}), plain = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, plain);
  for (int64_t i = 0; i < 8; ++i) {
    const auto inputs = decoder.inputs(i, 1, unsigned(i));
    EXPECT_TRUE(identical(context.run(inputs)[0], expected.run(inputs)[0])) << i;
  }
}

TEST(GrowingStates, CountAgainstTheMemoryOfARun) {
  const Decoder decoder(Form::kAttention, {});
  const Model model = decoder.model();
  Context context = stateful(decoder, model, 1 << 20, {.limits = {.memory_bytes = 32 << 20}});
  expect_error(ErrorKind::kLimit, "more than the limit", [&] {
    for (int64_t i = 0; i < 6; ++i) context.run(decoder.inputs(i, 1, unsigned(i)));
  });
}

}  // namespace
}  // namespace linnet::testing
