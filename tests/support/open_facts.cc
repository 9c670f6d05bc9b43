#include "support/open_facts.h"

#include <gtest/gtest.h>

namespace linnet::testing {
namespace {

Fact without_contents(const Fact& fact) { return Fact(fact.dtype, fact.dims); }
Fact without_dims(const Fact& fact) { return Fact(fact.dtype, Dims(size_t(fact.rank()))); }
Fact without_rank(const Fact& fact) { return Fact(fact.dtype, std::nullopt); }

void expect_fit(const Op& op, const std::vector<Fact>& inputs, const std::vector<Tensor>& outputs) {
  try {
    const std::vector<Fact> facts = op.infer(inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_TRUE(fits(facts[i], outputs[i]))
          << "output " << i << " is " << describe(outputs[i]) << ", not " << facts[i];
    }
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

void expect_answer(const Op& op, const std::vector<Fact>& inputs) {
  try {
    op.infer(inputs);
  } catch (const Error&) {
    SUCCEED();
  }
}

void expect_answers_for_other_ranks(const Op& op, std::vector<Fact> inputs) {
  for (Fact& input : inputs) {
    if (!input.present() || is_container(input.dtype)) continue;
    const Fact given = input;
    Dims more = *given.dims;
    more.insert(more.begin(), Dim(1));
    for (const Dims& dims : {Dims{}, Dims(given.dims->begin() + (given.rank() > 0), given.dims->end()), more}) {
      input = Fact(given.dtype, dims);
      expect_answer(op, inputs);
    }
    input = given;
  }
}

}  // namespace

void expect_open_facts_fit(const Op& op, const std::vector<Fact>& inputs, const std::vector<Tensor>& outputs) {
  for (const auto open : {without_contents, without_dims, without_rank}) {
    std::vector<Fact> all = inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].present() || is_container(inputs[i].dtype)) continue;
      all[i] = open(inputs[i]);
      std::vector<Fact> one = inputs;
      one[i] = all[i];
      SCOPED_TRACE(::testing::Message() << "input " << i << " is known as " << one[i]);
      expect_fit(op, one, outputs);
    }
    SCOPED_TRACE("little is known of all inputs");
    expect_fit(op, all, outputs);
  }
  expect_answers_for_other_ranks(op, inputs);
}

}  // namespace linnet::testing
