#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/run_op.h"

namespace linnet::testing::words {
namespace {

using Strings = std::vector<std::string>;
constexpr float kNever = -std::numeric_limits<float>::infinity();

Tensor blocked(const std::vector<int64_t>& ids, int64_t size) {
  return run_op(
      {"NGramRepeatBlock", 1, {{"ngram_size", size}}, "com.microsoft"},
      {Tensor::of(Shape{1, std::ssize(ids)}, ids), Tensor::of(Shape{1, 4}, std::vector<float>{1, 2, 3, 4})})[0];
}

TEST(NGramRepeatBlock, BlocksWordsThatRepeatAnNGram) {
  // After "0 1", both 2 and 3 have followed.
  expect_close(blocked({0, 1, 2, 0, 1, 3, 0, 1}, 3), Tensor::of(Shape{1, 4}, std::vector<float>{1, 2, kNever, kNever}));
  expect_close(blocked({0, 2}, 1), Tensor::of(Shape{1, 4}, std::vector<float>{kNever, 2, kNever, 4}));
  expect_close(blocked({0, 1}, 3), Tensor::of(Shape{1, 4}, std::vector<float>{1, 2, 3, 4}));
  expect_error(ErrorKind::kShape, "input_ids must be in [0,4), got 4", [] { blocked({4}, 1); });
  expect_error(ErrorKind::kModel, "ngram_size must be positive", [] { blocked({0}, 0); });
}

TEST(WordConvEmbedding, TakesTheMostOfEachFilterOverAWord) {
  const int64_t window = 2, size = 3, filters = 2, alphabet = 5;
  const Tensor words = Tensor::of(Shape{4, 4}, std::vector<int32_t>{1, 2, 3, 4, 2, 0, 3, 1, 1, 2, 0, 0, 0, 3, 3, 3});
  const Tensor w = random_tensor({filters, 1, window, size}), b = random_tensor({filters}, 1);
  const Tensor c = random_tensor({alphabet, size}, 2);
  Tensor want(DType::kFloat32, {4, filters});
  const std::vector<int64_t> places{3, 2, 1, 0};  // The windows of each word.
  for (int64_t i = 0; i < want.size(); ++i) {
    const int64_t word = i / filters, f = i % filters;
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t place = 0; place < places[size_t(word)]; ++place) {
      double sum = b.data<float>()[f];
      for (int64_t k = 0; k < window * size; ++k) {
        const int32_t letter = words.data<int32_t>()[word * 4 + place + k / size];
        sum += double(w.data<float>()[f * window * size + k]) * c.data<float>()[letter * size + k % size];
      }
      most = std::max(most, sum);
    }
    want.data<float>()[i] = places[size_t(word)] ? float(std::tanh(most)) : 0.0f;
  }
  const OpCase op{"WordConvEmbedding", 1, {}, "com.microsoft"};
  expect_close(run_op(op, {words, w, b, c})[0], want, 1e-6);
  expect_error(ErrorKind::kShape, "Sequence must be in [0,5), got 5", [&] {
    run_op(op, {Tensor::of(Shape{1, 2}, std::vector<int32_t>{1, 5}), w, b, c});
  });
  expect_error(ErrorKind::kShape, "shorter than the window", [&] {
    run_op(op, {Tensor::of(Shape{1, 1}, std::vector<int32_t>{1}), w, b, c});
  });
}

class Tokenizer : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      tokens({{"tokenexp", std::string("a")}}, Strings{"a"});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) throw;
      GTEST_SKIP() << "built without RE2";
    }
  }

  static Tensor tokens(Attributes attributes, const Strings& texts, int64_t least = 1, int64_t mark = 0) {
    attributes.insert_or_assign("mark", mark);
    attributes.insert_or_assign("mincharnum", least);
    attributes.insert_or_assign("pad_value", std::string("#"));
    return run_op({"Tokenizer", 1, attributes, "com.microsoft"}, {Tensor::of(texts)})[0];
  }
};

TEST_F(Tokenizer, SplitsAtSeparators) {
  const Attributes space{{"separators", Strings{" "}}};
  // The example of the specification.
  expect_close(
      tokens(space, {"Hello World", "I love computer science !"}),
      Tensor::of(Shape{2, 5}, Strings{"Hello", "World", "#", "#", "#", "I", "love", "computer", "science", "!"}));
  expect_close(tokens({{"separators", Strings{",", " +"}}}, {"a,  bc", "d"}, 2),
               Tensor::of(Shape{2, 1}, Strings{"bc", "#"}));
  EXPECT_EQ(tokens(space, {" ", ""}).shape(), (Shape{2, 0}));
  EXPECT_EQ(tokens(space, {}).shape(), Shape{0});
}

TEST_F(Tokenizer, FindsTokens) {
  expect_close(tokens({{"tokenexp", std::string("a|ab|[0-9]+")}}, {"xab12a", "b"}),
               Tensor::of(Shape{2, 3}, Strings{"ab", "12", "a", "#", "#", "#"}));
}

TEST_F(Tokenizer, MarksBeginningAndEnd) {
  expect_close(tokens({{"separators", Strings{""}}}, {"né", "x"}, 1, 1),
               Tensor::of(Shape{2, 4}, Strings{"\x02", "n", "é", "\x03", "\x02", "x", "\x03", "#"}));
}

TEST_F(Tokenizer, RefusesContradictoryAttributes) {
  expect_error(ErrorKind::kModel, "either separators or tokenexp", [] { tokens({}, {"a"}); });
  expect_error(ErrorKind::kModel, "an empty separator must be the only one", [] {
    tokens({{"separators", Strings{"", "a"}}}, {"a"});
  });
  expect_error(ErrorKind::kModel, "mincharnum must be positive", [] {
    tokens({{"tokenexp", std::string("a")}}, {"a"}, 0);
  });
  expect_error(ErrorKind::kModel, "is not an RE2 expression", [] { tokens({{"tokenexp", std::string("(")}}, {"a"}); });
}

}  // namespace
}  // namespace linnet::testing::words
