#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Adds a convolution [out, in / group, kernel, kernel].
ValueId biased_conv(GraphBuilder& b, ValueId x, const Shape& w, Attributes attributes = {}, int64_t group = 1) {
  attributes["group"] = group;
  return b.op("Conv", {x, b.constant(random_tensor(w, 1)), b.constant(random_tensor({w[0]}, 2))}, attributes);
}

/// A pointwise and a depthwise convolution over an image of this size.
struct Expansion {
  GraphBuilder b;
  ValueId x, between, y;

  explicit Expansion(const Shape& image, int64_t channels = 32, int64_t kernel = 1, int64_t multiplier = 1) {
    x = biased_conv(b, b.input("x", Shape{1, 3, image[2], image[3]}), {image[1], 3, 3, 3}, kSame);
    const Attributes attributes = kernel == 3 ? kSame : Attributes();
    between = b.op("Relu", {biased_conv(b, x, {channels, image[1], kernel, kernel}, attributes)});
    y = biased_conv(b, between, {channels * multiplier, 1, 3, 3}, kSame, channels);
  }
};

bool is_fused(const GraphBuilder& b) { return optimized_ops(b).find("+PointwiseDepthwiseConv") != std::string::npos; }

TEST(PointwiseRewrites, AnExpansionIsFusedWithTheDepthwiseConvolutionBehindIt) {
  Expansion e({1, 4, 128, 128});
  e.b.output(e.b.op("HardSwish", {e.y}));
  EXPECT_EQ(optimized_ops(e.b), "+Conv +PointwiseDepthwiseConv Transpose");
  expect_unchanged(e.b, {random_tensor({1, 3, 128, 128})});
}

TEST(PointwiseRewrites, AnExpansionStaysWhereItsResultIsSmall) {
  Expansion e({1, 4, 64, 64});
  e.b.output(e.y);
  EXPECT_FALSE(is_fused(e.b));
}

TEST(PointwiseRewrites, AnExpansionStaysWhereLinesAreShort) {
  Expansion e({1, 4, 2048, 8});
  e.b.output(e.y);
  EXPECT_FALSE(is_fused(e.b));
}

TEST(PointwiseRewrites, AnExpansionStaysWhereItsResultIsReadElsewhere) {
  Expansion e({1, 4, 128, 128});
  e.b.output(e.b.op("Add", {e.y, e.between}));
  EXPECT_FALSE(is_fused(e.b));
}

TEST(PointwiseRewrites, AnExpansionStaysWhereItsWindowsAreWider) {
  Expansion e({1, 4, 128, 128}, 32, 3);
  e.b.output(e.y);
  EXPECT_FALSE(is_fused(e.b));
}

TEST(PointwiseRewrites, AnExpansionStaysWhereItHasManyInputs) {
  Expansion e({1, 513, 128, 128});
  e.b.output(e.y);
  EXPECT_FALSE(is_fused(e.b));
}

TEST(PointwiseRewrites, AnExpansionStaysBeforeSeveralFiltersPerChannel) {
  Expansion e({1, 4, 128, 128}, 32, 1, 2);
  e.b.output(e.y);
  EXPECT_FALSE(is_fused(e.b));
}

/// A depthwise and a pointwise convolution of 16 channels on a square image, after another convolution.
struct Separable {
  GraphBuilder b;
  ValueId x, between, y;

  explicit Separable(int64_t side, int64_t depthwise_kernel = 3, int64_t pointwise_kernel = 1, int64_t group = 1) {
    x = biased_conv(b, b.input("x", Shape{1, 3, side, side}), {16, 3, 3, 3}, kSame);
    const auto attributes = [](int64_t kernel) { return kernel == 3 ? kSame : Attributes(); };
    between = b.op("Relu",
                   {biased_conv(b, x, {16, 1, depthwise_kernel, depthwise_kernel}, attributes(depthwise_kernel), 16)});
    y = biased_conv(b, between, {8, 16 / group, pointwise_kernel, pointwise_kernel}, attributes(pointwise_kernel),
                    group);
  }

  bool is_fused() const { return optimized_ops(b).find("+DepthwisePointwiseConv") != std::string::npos; }
};

TEST(PointwiseRewrites, ADepthwiseConvolutionIsFusedWithThePointwiseOneBehindIt) {
  Separable s(64);
  s.b.output(s.b.op("HardSwish", {s.y}));
  EXPECT_EQ(optimized_ops(s.b), "+Conv +DepthwisePointwiseConv Transpose");
  expect_unchanged(s.b, {random_tensor({1, 3, 64, 64})});
}

TEST(PointwiseRewrites, ADepthwiseConvolutionIsFusedWithAResidual) {
  Separable s(64);
  s.b.output(s.b.op("Relu", {s.b.op("Add", {s.y, biased_conv(s.b, s.x, {8, 16, 1, 1})})}));
  EXPECT_EQ(optimized_ops(s.b), "+Conv +Conv +DepthwisePointwiseConv Transpose");
  expect_unchanged(s.b, {random_tensor({1, 3, 64, 64})});
}

TEST(PointwiseRewrites, ADepthwiseConvolutionStaysWhereItsResultIsSmall) {
  Separable s(63);
  s.b.output(s.y);
  EXPECT_FALSE(s.is_fused());
}

TEST(PointwiseRewrites, ADepthwiseConvolutionStaysWhereItsResultIsReadElsewhere) {
  Separable s(64);
  s.b.output(s.b.op("Concat", {s.y, s.between}, {{"axis", int64_t{1}}}));
  EXPECT_FALSE(s.is_fused());
}

TEST(PointwiseRewrites, ADepthwiseConvolutionStaysBeforeWiderWindowsAndGroups) {
  for (auto [kernel, group] : {std::pair{3, 1}, {1, 2}}) {
    Separable s(64, 3, kernel, group);
    s.b.output(s.y);
    EXPECT_FALSE(s.is_fused());
  }
}

TEST(PointwiseRewrites, AFilterOfOnePixelPerChannelIsAScaleAndNoDepthwiseConvolution) {
  Separable s(64, 1);
  s.b.output(s.y);
  EXPECT_FALSE(s.is_fused());
}

TEST(PointwiseRewrites, ADepthwiseConvolutionStaysBeforeASlope) {
  Separable s(64);
  s.b.output(s.b.op("PRelu", {s.y, s.b.constant(random_tensor({8, 1, 1}, 9))}));
  EXPECT_FALSE(s.is_fused());
}

TEST(PointwiseRewrites, ASqueezeAndExcitationScalesTheInputsOfTheConvolutionBehindIt) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{2, 4, 9, 9}), {6, 4, 3, 3});
  const ValueId s = b.op("Sigmoid", {biased_conv(b, b.op("GlobalAveragePool", {x}), {6, 6, 1, 1})});
  b.output(b.op("Relu", {biased_conv(b, b.op("Mul", {s, x}), {5, 6, 1, 1})}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +GlobalAveragePool +Conv +PointwiseConv Transpose");
  expect_unchanged(b, {random_tensor({2, 4, 9, 9})});
}

TEST(PointwiseRewrites, ScalesOfPixelsAreNotTakenForThoseOfChannels) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{2, 4, 9, 9}), {6, 4, 3, 3});
  b.output(biased_conv(b, b.op("Mul", {x, b.op("Sigmoid", {biased_conv(b, x, {1, 6, 1, 1})})}), {5, 6, 1, 1}));
  EXPECT_EQ(optimized_ops(b).find("+PointwiseConv"), std::string::npos);
  expect_unchanged(b, {random_tensor({2, 4, 9, 9})});
}

TEST(PointwiseRewrites, AScaledTensorThatIsReadElsewhereStays) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{2, 4, 9, 9}), {6, 4, 3, 3});
  const ValueId scaled = b.op("Mul", {x, b.op("GlobalMaxPool", {x})});
  b.output(biased_conv(b, scaled, {5, 6, 1, 1}));
  b.output(b.op("Exp", {scaled}));
  EXPECT_EQ(optimized_ops(b).find("+PointwiseConv"), std::string::npos);
}

TEST(PointwiseRewrites, ADenseLayerNormalisesAndConcatenatesAsItReads) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{1, 3, 8, 8}), {6, 3, 3, 3});
  const ValueId y = biased_conv(b, x, {4, 6, 3, 3}, kSame);
  const ValueId all = b.op("Concat", {x, y}, {{"axis", int64_t{1}}});
  b.output(biased_conv(b, b.op("Relu", {batch_norm(b, all, 10)}), {5, 10, 1, 1}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +Conv +PointwiseConv Transpose");
  expect_unchanged(b, {random_tensor({1, 3, 8, 8})});
}

TEST(PointwiseRewrites, AConcatenationPassesMaxPoolOnItsWayToAPointwiseConvolution) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{1, 3, 10, 10}), {6, 3, 3, 3});
  const ValueId all = b.op("Concat", {x, biased_conv(b, x, {6, 6, 3, 3}, kSame)}, {{"axis", int64_t{1}}});
  const Attributes window{{"kernel_shape", std::vector<int64_t>{3, 3}}, {"strides", std::vector<int64_t>{2, 2}}};
  b.output(biased_conv(b, b.op("MaxPool", {all}, window), {5, 12, 1, 1}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +Conv +MaxPool +MaxPool +PointwiseConv Transpose");
  expect_unchanged(b, {random_tensor({1, 3, 10, 10})});
}

TEST(PointwiseRewrites, AConcatenationStaysBeforeMaxPoolAndOtherConvolutions) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{1, 3, 10, 10}), {6, 3, 3, 3});
  const ValueId all = b.op("Concat", {x, biased_conv(b, x, {6, 6, 3, 3}, kSame)}, {{"axis", int64_t{1}}});
  b.output(biased_conv(b, b.op("MaxPool", {all}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}), {5, 12, 3, 3}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +Conv Concat +MaxPool +Conv Transpose");
}

TEST(PointwiseRewrites, AConcatenationOfLinesStays) {
  GraphBuilder b;
  const ValueId x = biased_conv(b, b.input("x", Shape{1, 3, 10, 10}), {6, 3, 3, 3});
  const ValueId all = b.op("Concat", {x, biased_conv(b, x, {6, 6, 3, 3}, kSame)}, {{"axis", int64_t{2}}});
  b.output(biased_conv(b, all, {5, 6, 1, 1}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +Conv Concat +Conv Transpose");
}

}  // namespace
}  // namespace linnet::testing
