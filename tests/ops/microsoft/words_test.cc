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

/// places: the windows of each word.
Tensor word_embeddings(const Tensor& words, const Tensor& w, const Tensor& b, const Tensor& c,
                       const std::vector<int64_t>& places) {
  const int64_t letters = words.dim(1), filters = w.dim(0), window = w.dim(2), size = w.dim(3);
  Tensor want(DType::kFloat32, {words.dim(0), filters});
  for (int64_t i = 0; i < want.size(); ++i) {
    const int64_t word = i / filters, f = i % filters;
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t place = 0; place < places[size_t(word)]; ++place) {
      double sum = double(b.data<float>()[f]);
      for (int64_t k = 0; k < window * size; ++k) {
        const int32_t letter = words.data<int32_t>()[word * letters + place + k / size];
        sum += double(w.data<float>()[f * window * size + k]) * double(c.data<float>()[letter * size + k % size]);
      }
      most = std::max(most, sum);
    }
    want.data<float>()[i] = places[size_t(word)] ? float(std::tanh(most)) : 0.0f;
  }
  return want;
}

const OpCase kWordConvEmbedding{"WordConvEmbedding", 1, {}, "com.microsoft"};

TEST(WordConvEmbedding, TakesTheMostOfEachFilterOverAWord) {
  const Tensor words = Tensor::of(Shape{4, 4}, std::vector<int32_t>{1, 2, 3, 4, 2, 0, 3, 1, 1, 2, 0, 0, 0, 3, 3, 3});
  const Tensor w = random_tensor({2, 1, 2, 3}), b = random_tensor({2}, 1), c = random_tensor({5, 3}, 2);
  expect_close(run_op(kWordConvEmbedding, {words, w, b, c})[0], word_embeddings(words, w, b, c, {3, 2, 1, 0}), 1e-6);
  expect_error(ErrorKind::kShape, "Sequence must be in [0,5), got 5", [&] {
    run_op(kWordConvEmbedding, {Tensor::of(Shape{1, 2}, std::vector<int32_t>{1, 5}), w, b, c});
  });
  expect_error(ErrorKind::kShape, "shorter than the window", [&] {
    run_op(kWordConvEmbedding, {Tensor::of(Shape{1, 1}, std::vector<int32_t>{1}), w, b, c});
  });
}

/// Windows of several words are multiplied together, words have more windows than are, and sums are divided.
TEST(WordConvEmbedding, DividesWordsAndSums) {
  const int64_t count = 9, letters = 50;
  std::vector<int32_t> all;
  std::vector<int64_t> places;
  for (const int64_t size : {4, 300}) {
    all.clear(), places.clear();
    for (int64_t word = 0; word < count; ++word) {
      const int64_t used = word % 3 == 0 ? letters : 1 + word * 5;
      for (int64_t i = 0; i < letters; ++i) all.push_back(i < used ? int32_t(1 + (word * 7 + i * i) % 29) : 0);
      places.push_back(std::max<int64_t>(1, used - 3));
    }
    const Tensor words = Tensor::of(Shape{count, letters}, all);
    const Tensor w = random_uniform({37, 1, 4, size}, -0.1f, 0.1f), b = random_tensor({37}, 1);
    const Tensor c = random_tensor({30, size}, 2), want = word_embeddings(words, w, b, c, places);
    for (const Isa isa : supported_isas()) {
      const Tensor y = run_op(kWordConvEmbedding, {words, w, b, c}, 1, {}, isa, 3)[0];
      expect_close(y, want, 1e-5);
      EXPECT_TRUE(identical(run_op(kWordConvEmbedding, {words, w, b, c}, 1, {1}, isa, 1)[0], y));
    }
  }
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
