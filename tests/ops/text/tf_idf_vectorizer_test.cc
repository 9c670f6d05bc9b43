#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"
#include "text/ngram_pool.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

Tensor vectorize(const Tensor& x, Attributes attributes) {
  attributes.merge(Attributes{{"mode", std::string("TF")},
                              {"ngram_counts", Ints{0, 3}},
                              {"ngram_indexes", Ints{0, 1, 2, 3, 4}},
                              {"min_gram_length", int64_t{1}},
                              {"max_gram_length", int64_t{2}},
                              {"max_skip_count", int64_t{0}}});
  return run_op({"TfIdfVectorizer", 9, attributes}, {x})[0];
}

const Ints kPool{1, 2, 3, 1, 2, 1, 1};  // 1, 2, 3, (1, 2), (1, 1)

TEST(TfIdfVectorizer, CountsWithSkips) {
  const Tensor x = Tensor::of<int64_t>({1, 2, 1, 3, 2});
  expect_close(vectorize(x, {{"pool_int64s", kPool}}), Tensor::of<float>({2, 2, 1, 1, 0}));
  expect_close(vectorize(x, {{"pool_int64s", kPool}, {"max_skip_count", int64_t{1}}}),
               Tensor::of<float>({2, 2, 1, 2, 1}));
  expect_close(vectorize(x, {{"pool_int64s", kPool}, {"max_skip_count", INT64_MAX}}),
               Tensor::of<float>({2, 2, 1, 3, 1}));
  expect_close(vectorize(x, {{"pool_int64s", kPool}, {"min_gram_length", int64_t{2}}}),
               Tensor::of<float>({0, 0, 0, 1, 0}));
  expect_close(vectorize(x, {{"pool_int64s", kPool}, {"max_gram_length", int64_t{1}}}),
               Tensor::of<float>({2, 2, 1, 0, 0}));
}

TEST(TfIdfVectorizer, LooksAtTheDeadlineBetweenSkips) {
  GraphBuilder graph(9);
  const Attributes attributes{{"mode", std::string("TF")},           {"pool_int64s", kPool},
                              {"ngram_counts", Ints{0, 3}},          {"ngram_indexes", Ints{0, 1, 2, 3, 4}},
                              {"min_gram_length", int64_t{1}},       {"max_gram_length", int64_t{2}},
                              {"max_skip_count", int64_t{INT64_MAX}}};
  const int64_t tokens = 1'000'000;
  graph.output(graph.op("TfIdfVectorizer", {graph.input("x", Fact(DType::kInt64, Shape{tokens}))}, attributes));
  ContextOptions options;
  options.limits.deadline_ms = 300;
  Context context(graph.model(), options);
  const std::vector<Tensor> inputs{Tensor::of(Ints(size_t(tokens), 1))};
  expect_error(ErrorKind::kLimit, "deadline", [&] { context.run(inputs); });
}

TEST(TfIdfVectorizer, CountsEachRowOfAnyTokens) {
  const Tensor want = Tensor::of(Shape{2, 5}, Floats{1, 1, 0, 1, 0, 2, 0, 0, 0, 1});
  const Tensor x = Tensor::of(Shape{2, 2}, std::vector<int32_t>{1, 2, 1, 1});
  expect_close(vectorize(x, {{"pool_int64s", kPool}}), want);
  const Tensor words = Tensor::of(Shape{2, 2}, Strings{"1", "2", "1", "1"});
  expect_close(vectorize(words, {{"pool_strings", Strings{"1", "2", "3", "1", "2", "1", "1"}}}), want);
  EXPECT_EQ(vectorize(Tensor(DType::kInt64, {2, 0}), {{"pool_int64s", kPool}}).shape(), (Shape{2, 5}));
}

TEST(TfIdfVectorizer, SkipsDoNotLeaveARow) {
  const Tensor x = Tensor::of(Shape{2, 4}, Ints{0, 1, 0, 2, 0, 3, 0, 0});
  const Attributes attributes{{"pool_int64s", Ints{1, 2, 3, 0, 0, 0}}, {"ngram_counts", Ints{0, 0, 0}},
                              {"ngram_indexes", Ints{0, 1}},           {"min_gram_length", int64_t{3}},
                              {"max_gram_length", int64_t{3}},         {"max_skip_count", int64_t{3}}};
  expect_close(vectorize(x, attributes), Tensor::of(Shape{2, 2}, Floats{0, 0, 0, 0}));
}

TEST(NgramPool, CountsNothingThatEndsBehindTheRow) {
  NodeSpec node;
  node.attributes = {{"pool_int64s", Ints{1, 2, 3}},  {"ngram_counts", Ints{0, 0, 0}}, {"ngram_indexes", Ints{0}},
                     {"min_gram_length", int64_t{1}}, {"max_gram_length", int64_t{3}}, {"max_skip_count", int64_t{1}}};
  const NgramPool pool(node);
  const Tensor x = Tensor::of<int64_t>({0, 1, 0, 2, 0, 3});
  Ints tokens(6);
  pool.find_tokens(x, 0, 6, tokens.data());
  for (const int64_t n : {4, 5, 6}) {
    float count = 0;
    pool.count(tokens.data(), n, &count);
    EXPECT_EQ(count, n == 6 ? 1 : 0) << n;
  }
}

TEST(TfIdfVectorizer, WeighsByTheOrderOfThePool) {
  const auto weigh = [](const std::string& mode, const Attribute& places) {
    return vectorize(Tensor::of<int64_t>({1, 2, 1, 3, 2}), {{"mode", mode},
                                                            {"pool_int64s", Ints{1, 2, 3}},
                                                            {"ngram_counts", Ints{0}},
                                                            {"ngram_indexes", places},
                                                            {"weights", Floats{10, 20, 30}}});
  };
  expect_close(weigh("TF", Ints{2, 0, 4}), Tensor::of<float>({2, 0, 2, 0, 1}));
  expect_close(weigh("IDF", Ints{2, 0, 4}), Tensor::of<float>({20, 0, 10, 0, 30}));
  expect_close(weigh("TFIDF", Ints{2, 0, 4}), Tensor::of<float>({40, 0, 20, 0, 30}));
  expect_close(weigh("IDF", Ints{0, 0, 1}), Tensor::of<float>({20, 30}));
}

TEST(TfIdfVectorizer, RefusesPoolsThatDoNotFit) {
  const auto refuses = [](const std::string& attribute, const Attribute& value, const std::string& text) {
    Attributes attributes{{attribute, value}};
    attributes.merge(Attributes{{"pool_int64s", kPool}});
    expect_error(ErrorKind::kModel, text, [&] { vectorize(Tensor::of<int64_t>({1}), attributes); });
  };
  refuses("ngram_counts", Ints{0, 2}, "leave whole 2-grams, got 2");
  refuses("ngram_counts", Ints{0, 9}, "must rise to at most 7");
  refuses("ngram_counts", Ints{0, 3, int64_t{1} << 40 | 1}, "must rise to at most 7");
  refuses("ngram_counts", Ints{-1, 3}, "must rise to at most 7");
  refuses("ngram_indexes", Ints{0, 1}, "ngram_indexes must have 5 values, got 2");
  refuses("ngram_indexes", Ints{0, 1, 2, 3, -4}, "ngram_indexes must be non-negative, got -4");
  refuses("min_gram_length", int64_t{0}, "1 <= min_gram_length");
  refuses("min_gram_length", int64_t{3}, "1 <= min_gram_length");
  refuses("max_skip_count", int64_t{-1}, "max_skip_count must be non-negative");
  refuses("mode", std::string("IDFTF"), "mode must be TF, IDF or TFIDF");
  refuses("pool_strings", Strings{"a"}, "exactly one of pool_strings and pool_int64s");
}

}  // namespace
}  // namespace linnet::testing
