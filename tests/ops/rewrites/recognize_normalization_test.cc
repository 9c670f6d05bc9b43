#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Shape kNormalized{2, 3, 4, 5};

ValueId mean(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes) {
  return b.op("ReduceMean", {x}, {{"axes", axes}});
}

/// Returns Sqrt(ReduceMean(d * d) + epsilon), with the square as a power or a product.
ValueId deviation(GraphBuilder& b, ValueId d, const std::vector<int64_t>& axes, bool power = true) {
  const ValueId square = power ? b.op("Pow", {d, num(b, 2)}) : b.op("Mul", {d, d});
  return b.op("Sqrt", {b.op("Add", {mean(b, square, axes), num(b, 1e-3f)})});
}

ValueId centered(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes) {
  return b.op("Sub", {x, mean(b, x, axes)});
}

ValueId scaled(GraphBuilder& b, ValueId x, const Shape& shape) {
  const ValueId y = b.op("Mul", {x, b.constant(random_tensor(shape, 3))});
  return b.op("Add", {b.constant(random_tensor(shape, 4)), y});
}

TEST(RecognizeNormalization, LayerNormalizationWithItsScaleAndBias) {
  for (const bool power : {true, false}) {
    GraphBuilder b;
    const ValueId d = centered(b, b.input("x", kNormalized), {-1});
    b.output(scaled(b, b.op("Div", {d, deviation(b, d, {3}, power)}), {5}));
    EXPECT_EQ(optimized_ops(b), "LayerNormalization");
    expect_unchanged(b, {random_tensor(kNormalized)});
  }
}

TEST(RecognizeNormalization, LayerNormalizationOverTwoAxesByAReciprocal) {
  GraphBuilder b;
  const ValueId d = centered(b, b.input("x", kNormalized), {2, 3});
  const ValueId inverse = b.op("Reciprocal", {deviation(b, d, {3, 2})});
  b.output(scaled(b, b.op("Mul", {inverse, d}), {1, 1, 4, 5}));
  EXPECT_EQ(optimized_ops(b), "LayerNormalization");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(RecognizeNormalization, ChannelsOfAConvolutionOnceTheyAreLast) {
  GraphBuilder b;
  const auto conv = [&](ValueId x) { return b.op("Conv", {x, b.constant(random_tensor({3, 3, 1, 1}, 9))}); };
  const ValueId d = centered(b, conv(b.input("x", kNormalized)), {1});
  b.output(conv(scaled(b, b.op("Div", {d, deviation(b, d, {1})}), {3, 1, 1})));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv LayerNormalization +Conv Transpose");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(RecognizeNormalization, RmsNormalization) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized);
  const ValueId y = b.op("Mul", {x, b.op("Div", {num(b, 1), deviation(b, x, {-1})})});
  b.output(b.op("Mul", {b.constant(random_tensor({5}, 3)), y}));
  EXPECT_EQ(optimized_ops(b), "RMSNormalization");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(RecognizeNormalization, RmsNormalizationTakesNoBias) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized);
  b.output(b.op("Add", {b.op("Div", {x, deviation(b, x, {-1})}), b.constant(random_tensor({5}, 3))}));
  EXPECT_EQ(optimized_ops(b), "RMSNormalization Add");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(RecognizeNormalization, APowerAsTheInverse) {
  GraphBuilder b;
  const ValueId d = centered(b, b.input("x", kNormalized), {3});
  const ValueId variance = b.op("Add", {mean(b, b.op("Mul", {d, d}), {3}), num(b, 1e-3f)});
  b.output(b.op("Mul", {d, b.op("Pow", {variance, num(b, -0.5f)})}));
  EXPECT_EQ(optimized_ops(b), "LayerNormalization");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

/// Returns 1 / Sqrt(v + epsilon), where v = Mean(x^2) - Mean(mean_of)^2, or Max(0, v) if `not_negative`.
ValueId inverse_of_moments(GraphBuilder& b, ValueId x, ValueId mean_of, bool not_negative) {
  const ValueId m = mean(b, mean_of, {3});
  ValueId variance = b.op("Sub", {mean(b, b.op("Mul", {x, x}), {3}), b.op("Mul", {m, m})});
  if (not_negative) variance = b.op("Max", {num(b, 0), variance});
  return b.op("Reciprocal", {b.op("Sqrt", {b.op("Add", {variance, num(b, 1e-3f)})})});
}

TEST(RecognizeNormalization, TheVarianceAsADifferenceOfMoments) {
  for (const bool not_negative : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.input("x", kNormalized), inverse = inverse_of_moments(b, x, x, not_negative);
    b.output(scaled(b, b.op("Mul", {centered(b, x, {3}), inverse}), {5}));
    EXPECT_EQ(optimized_ops(b), "LayerNormalization");
    expect_unchanged(b, {random_tensor(kNormalized)});
  }
}

TEST(RecognizeNormalization, NotOfMomentsOfTwoValues) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized), other = b.input("other", kNormalized);
  b.output(b.op("Mul", {centered(b, x, {3}), inverse_of_moments(b, x, other, true)}));
  EXPECT_EQ(count_ops(b.model(), "LayerNormalization"), 0);
}

TEST(RecognizeNormalization, NotOfMomentsOfWhatIsNotCentered) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized);
  b.output(b.op("Mul", {x, inverse_of_moments(b, x, x, true)}));
  EXPECT_EQ(count_ops(b.model(), "LayerNormalization") + count_ops(b.model(), "RMSNormalization"), 0);
}

ValueId scale(GraphBuilder& b) { return b.constant(random_tensor({5}, 3)); }
ValueId bias(GraphBuilder& b) { return b.constant(random_tensor({5}, 4)); }

ValueId inverse_deviation(GraphBuilder& b, ValueId d) { return b.op("Reciprocal", {deviation(b, d, {3}, false)}); }

TEST(SeparateNormalizationScale, AFactorOfTheInverseDeviation) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized), d = centered(b, x, {3});
  const ValueId factor = b.op("Mul", {inverse_deviation(b, d), scale(b)});
  b.output(b.op("Add", {b.op("Mul", {d, factor}), bias(b)}));
  EXPECT_EQ(optimized_ops(b), "LayerNormalization");
  expect_unchanged(b, {random_tensor(kNormalized)});
}

/// The form of the shift in x * f + (bias - m * f): a Sub, or an Add of a negative mean or product.
enum class Shift { kSub, kNegativeMean, kNegativeProduct };

GraphBuilder batch_normalized(Shift form, bool of_x) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized), m = mean(b, x, {3}), d = b.op("Sub", {x, m});
  const ValueId f = b.op("Mul", {scale(b), inverse_deviation(b, d)});
  const ValueId shift = of_x ? m : mean(b, b.op("Tanh", {x}), {3});
  ValueId rest = kNoValue;
  if (form == Shift::kSub) rest = b.op("Sub", {bias(b), b.op("Mul", {shift, f})});
  if (form == Shift::kNegativeMean) rest = b.op("Add", {b.op("Mul", {b.op("Neg", {shift}), f}), bias(b)});
  if (form == Shift::kNegativeProduct) rest = b.op("Add", {bias(b), b.op("Neg", {b.op("Mul", {f, shift})})});
  b.output(b.op("Add", {b.op("Mul", {x, f}), rest}));
  return b;
}

TEST(SeparateNormalizationScale, AScaleAndAShiftOfX) {
  for (const Shift form : {Shift::kSub, Shift::kNegativeMean, Shift::kNegativeProduct}) {
    const GraphBuilder b = batch_normalized(form, true);
    EXPECT_EQ(optimized_ops(b), "LayerNormalization");
    expect_unchanged(b, {random_tensor(kNormalized)});
  }
}

TEST(SeparateNormalizationScale, NotWhereTheShiftIsOfAnotherMean) {
  const GraphBuilder b = batch_normalized(Shift::kSub, false);
  EXPECT_EQ(count_ops(b.model(), "LayerNormalization"), 0);
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(SeparateNormalizationScale, NotAFactorThatIsReadElsewhere) {
  GraphBuilder b;
  const ValueId d = centered(b, b.input("x", kNormalized), {3});
  const ValueId factor = b.op("Mul", {inverse_deviation(b, d), scale(b)});
  b.output(b.op("Mul", {d, factor}));
  b.output(b.op("Tanh", {factor}));
  EXPECT_EQ(count_ops(b.model(), "LayerNormalization"), 0);
  expect_unchanged(b, {random_tensor(kNormalized)});
}

TEST(SeparateNormalizationScale, NotAFactorThatIsNoConstant) {
  GraphBuilder b;
  const ValueId d = centered(b, b.input("x", kNormalized), {3});
  b.output(b.op("Mul", {d, b.op("Mul", {inverse_deviation(b, d), b.input("scale", Shape{5})})}));
  EXPECT_EQ(count_ops(b.model(), "LayerNormalization"), 0);
}

/// Returns the number of normalisations recognised in Div(d, deviation of d) when d is centred over one list of axes
/// and the deviation is taken over another.
int normalizations(const std::vector<int64_t>& centered_axes, const std::vector<int64_t>& axes) {
  GraphBuilder b;
  const ValueId d = centered(b, b.input("x", kNormalized), centered_axes);
  b.output(b.op("Div", {d, deviation(b, d, axes)}));
  expect_unchanged(b, {random_tensor(kNormalized)});
  return count_ops(b.model(), "LayerNormalization");
}

TEST(RecognizeNormalization, NotOverAxesThatAreNotTheLastOrDiffer) {
  EXPECT_EQ(normalizations({3}, {3}), 1);
  EXPECT_EQ(normalizations({2}, {2}), 0);
  EXPECT_EQ(normalizations({2, 3}, {3}), 0);
}

TEST(RecognizeNormalization, NotWhereTheDifferenceIsReadElsewhere) {
  for (const bool as_output : {true, false}) {
    GraphBuilder b;
    const ValueId d = centered(b, b.input("x", kNormalized), {3});
    b.output(b.op("Div", {d, deviation(b, d, {3})}));
    b.output(as_output ? d : b.op("Neg", {d}));
    EXPECT_EQ(count_ops(b.model(), "LayerNormalization"), 0);
    expect_unchanged(b, {random_tensor(kNormalized)});
  }
}

TEST(RecognizeNormalization, NotOfAnotherValue) {
  GraphBuilder b;
  const ValueId x = b.input("x", kNormalized), other = b.input("other", kNormalized);
  b.output(b.op("Div", {other, deviation(b, x, {3})}));
  b.output(b.op("Div", {deviation(b, x, {2}), x}));
  EXPECT_EQ(count_ops(b.model(), "RMSNormalization"), 0);
}

TEST(FoldAffineIntoNormalization, NotAConstantOfAnotherShape) {
  for (const Shape& shape : {Shape{4, 1}, Shape{2, 3, 4, 5}, Shape{1, 1, 1, 1, 5}}) {
    GraphBuilder b;
    const ValueId ones = b.constant(random_tensor({5}, 1));
    const ValueId y = b.op("LayerNormalization", {b.input("x", kNormalized), ones});
    b.output(b.op("Mul", {y, b.constant(random_tensor(shape, 2))}));
    EXPECT_EQ(optimized_ops(b), "LayerNormalization Mul") << shape;
    expect_unchanged(b, {random_tensor(kNormalized)});
  }
}

TEST(FoldAffineIntoNormalization, NotAColumnOfTheLengthOfARow) {
  GraphBuilder b;
  const ValueId y = b.op("LayerNormalization", {b.input("x", Shape{2, 5, 5}), b.constant(random_tensor({5}, 1))});
  b.output(b.op("Mul", {y, b.constant(random_tensor({5, 1}, 2))}));
  EXPECT_EQ(optimized_ops(b), "LayerNormalization Mul");
  expect_unchanged(b, {random_tensor({2, 5, 5})});
}

TEST(FoldAffineIntoNormalization, NotWhereTheNormalizedValueIsReadElsewhere) {
  GraphBuilder b;
  const ValueId y = b.op("LayerNormalization", {b.input("x", kNormalized), b.constant(random_tensor({5}, 1))});
  b.output(b.op("Mul", {y, num(b, 2)}));
  b.output(y);
  EXPECT_EQ(optimized_ops(b), "LayerNormalization Mul");
}

}  // namespace
}  // namespace linnet::testing
