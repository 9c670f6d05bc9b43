#include "generator/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments(const Tensor& x) {
  Moments result;
  for (const float v : x.values<float>()) result.mean += v;
  result.mean /= double(x.size());
  for (const float v : x.values<float>()) result.deviation += (v - result.mean) * (v - result.mean);
  result.deviation = std::sqrt(result.deviation / double(x.size()));
  return result;
}

OpCase with_seed(const std::string& op, Attributes attributes = {}) {
  attributes["seed"] = 7.0f;
  return {op, 15, std::move(attributes)};
}

// The known answers of Philox4x32-10 are from the authors' Random123. A counter and key of zeros give 6627e8d5 e169c58d
// bc57ac4c 9b00dbd8; all ones give 408f276d 41c83b0e a20bc7c6 6d5451fd.
TEST(RandomStream, GivesTheKnownAnswersOfPhilox) {
  const auto unit = [](uint64_t bits) { return double(bits >> 11) * 0x1p-53; };
  const auto zeros = RandomStream{0, 0}.uniform_pair(0);
  EXPECT_EQ(zeros[0], unit(0x6627e8d5e169c58d));
  EXPECT_EQ(zeros[1], unit(0xbc57ac4c9b00dbd8));
  const auto ones = RandomStream{UINT64_MAX, UINT64_MAX}.uniform_pair(UINT64_MAX);
  EXPECT_EQ(ones[0], unit(0x408f276d41c83b0e));
  EXPECT_EQ(ones[1], unit(0xa20bc7c66d5451fd));
}

TEST(RandomNormal, HasItsMeanAndScale) {
  const OpCase op = with_seed("RandomNormal", {{"shape", Ints{100, 200}}, {"mean", 3.0f}, {"scale", 2.0f}});
  const Tensor y = run_op(op, {})[0];
  ASSERT_EQ(y.shape(), (Shape{100, 200}));
  EXPECT_NEAR(moments(y).mean, 3, 0.06);
  EXPECT_NEAR(moments(y).deviation, 2, 0.05);
  EXPECT_TRUE(identical(y, run_op(op, {})[0]));
}

TEST(RandomUniform, StaysInItsRange) {
  const OpCase op = with_seed("RandomUniform", {{"shape", Ints{20000}}, {"low", -1.0f}, {"high", 3.0f}});
  const Tensor y = run_op(op, {})[0];
  const auto [least, most] = std::minmax_element(y.data<float>(), y.data<float>() + y.size());
  EXPECT_GE(*least, -1);
  EXPECT_LE(*most, 3);
  EXPECT_NEAR(moments(y).mean, 1, 0.04);
  EXPECT_NEAR(moments(y).deviation, 4 / std::sqrt(12), 0.04);
}

TEST(RandomUniform, DiffersFromContextToContextWithoutASeed) {
  const OpCase op{"RandomUniform", 15, {{"shape", Ints{8}}}};
  EXPECT_FALSE(identical(run_op(op, {})[0], run_op(op, {})[0]));
}

TEST(RandomLike, TakesShapeAndDtypeFromItsInput) {
  const Tensor x(DType::kFloat64, {2, 3});
  for (const char* name : {"RandomNormalLike", "RandomUniformLike"}) {
    EXPECT_EQ(describe(run_op(with_seed(name), {x})[0]), "float64[2,3]");
    EXPECT_EQ(describe(run_op(with_seed(name, {{"dtype", int64_t{10}}}), {x})[0]), "float16[2,3]");
    expect_error(ErrorKind::kType, "output must be one of",
                 [&] { run_op(with_seed(name), {Tensor::of<int64_t>({1})}); });
  }
}

TEST(Bernoulli, DrawsOnesWithTheGivenProbability) {
  Tensor p(DType::kFloat32, {3, 10000});
  for (int64_t i = 0; i < p.size(); ++i) p.data<float>()[i] = float(i / 10000) * 0.5f;
  const Tensor y = run_op(with_seed("Bernoulli", {{"dtype", int64_t{9}}}), {p})[0];
  ASSERT_EQ(y.dtype(), DType::kBool);
  const bool* flags = y.data<bool>();
  EXPECT_EQ(std::count(flags, flags + 10000, true), 0);
  EXPECT_NEAR(double(std::count(flags + 10000, flags + 20000, true)), 5000, 200);
  EXPECT_EQ(std::count(flags + 20000, flags + 30000, true), 10000);
}

/// Element i is true if the first number of its counter is below its probability, for any dtypes.
TEST(Bernoulli, ComparesTheNumbersOfTheSeed) {
  const Tensor p = random_uniform({1000}, 0, 1);
  const Tensor numbers = run_op(with_seed("RandomUniform", {{"shape", Ints{1000}}, {"dtype", int64_t{11}}}), {})[0];
  for (const DType input : {DType::kFloat32, DType::kFloat64}) {
    for (const DType output : {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kUint8, DType::kFloat16}) {
      const OpCase op = with_seed("Bernoulli", {{"dtype", int64_t(output)}});
      const Tensor y = cast_to(run_op(op, {cast_to(p, input)})[0], DType::kFloat32);
      for (int64_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y.data<float>()[i], numbers.data<double>()[i] < double(p.data<float>()[i]) ? 1 : 0) << i;
      }
    }
  }
}

TEST(Multinomial, DrawsClassesWithTheirProbabilities) {
  const float zero = -INFINITY;
  const Tensor logits =
      Tensor::of(Shape{2, 3}, std::vector<float>{std::log(10.0f), std::log(30.0f), zero, zero, zero, 5});
  const Tensor y =
      run_op(with_seed("Multinomial", {{"sample_size", int64_t{10000}}, {"dtype", int64_t{7}}}), {logits})[0];
  ASSERT_EQ(describe(y), "int64[2,10000]");
  const int64_t* classes = y.data<int64_t>();
  EXPECT_NEAR(double(std::count(classes, classes + 10000, 0)), 2500, 180);
  EXPECT_EQ(std::count(classes, classes + 10000, 2), 0);
  EXPECT_EQ(std::count(classes + 10000, classes + 20000, 2), 10000);
}

TEST(Random, ContextsGiveSeedsToOperatorsWithoutOne) {
  GraphBuilder b;
  for (int i = 0; i < 2; ++i) b.output(b.op("RandomNormal", {}, {{"shape", Ints{8}}}));
  const Model model = b.model();
  const auto draw = [&](std::optional<uint64_t> seed) {
    ContextOptions options;
    options.seed = seed;
    Context context(model, options);
    const auto outputs = context.run(std::span<const Tensor>());
    return std::vector<Tensor>{outputs[0].clone(), outputs[1].clone()};
  };
  const auto first = draw(5), again = draw(5), other = draw(9);
  EXPECT_FALSE(identical(first[0], first[1]));
  EXPECT_FALSE(identical(first[0], other[0]));
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(identical(first[i], again[i]));
  EXPECT_FALSE(identical(draw(std::nullopt)[0], draw(std::nullopt)[0]));
}

}  // namespace
}  // namespace linnet::testing
