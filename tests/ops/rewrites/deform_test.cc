#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

ValueId conv_of_kernel(GraphBuilder& b, ValueId x, int64_t in, int64_t out, int64_t kernel = 1, unsigned seed = 1) {
  return b.op(
      "Conv",
      {x, b.constant(random_tensor({out, in, kernel, kernel}, seed)), b.constant(random_tensor({out}, seed + 1))},
      kernel == 3 ? kSame : Attributes());
}

/// Adds a deformable convolution from 6 channels to 6.
ValueId deform_conv(GraphBuilder& b, ValueId x, ValueId offset, ValueId mask = kNoValue, bool custom = false) {
  return b.op(custom ? "deform_conv2d" : "DeformConv",
              {x, b.constant(random_tensor({6, 6, 3, 3}, 3)), offset, b.constant(random_tensor({6}, 4)), mask}, kSame,
              custom ? "custom" : "");
}

/// A value of 6 channels, and a field of `channels` channels that a convolution computes from it. Offsets and masks are
/// parts of the field.
struct Block {
  GraphBuilder b{19};
  ValueId x, field;

  explicit Block(int64_t channels, const Dims& image = {2, 3, 7, 8}) {
    x = conv_of_kernel(b, b.input("x", Fact(DType::kFloat32, image)), 3, 6);
    field = conv_of_kernel(b, x, 6, channels, 3, 5);
  }
  std::vector<ValueId> split(const Ints& sizes) {
    return b.ops("Split", {field, b.constant(Tensor::of(sizes))}, int(sizes.size()), {{"axis", int64_t{1}}});
  }
  ValueId slice(int64_t begin, int64_t end, int64_t step = 1) {
    const auto one = [&](int64_t value) { return b.constant(Tensor::of(Ints{value})); };
    return b.op("Slice", {field, one(begin), one(end), one(1), one(step)});
  }
  ValueId join(ValueId first, ValueId second) { return b.op("Concat", {first, second}, {{"axis", int64_t{1}}}); }
  ValueId sigmoid(ValueId value) { return b.op("Sigmoid", {value}); }
  void finish(ValueId offset, ValueId mask) { b.output(deform_conv(b, x, offset, mask)); }
  void expect_same() const { expect_unchanged(b, {random_tensor({2, 3, 7, 8})}); }
  bool takes_field() const { return optimized_ops(b).ends_with("+Conv +Conv +DeformConv Transpose"); }
};

TEST(DeformRewrites, RunsChannelsLastAmongConvolutions) {
  for (const bool custom : {false, true}) {
    Block block(18);
    block.b.output(conv_of_kernel(block.b, deform_conv(block.b, block.x, block.field, kNoValue, custom), 6, 4, 3, 7));
    EXPECT_EQ(optimized_ops(block.b), "Transpose +Conv +Conv +DeformConv +Conv Transpose");
    block.expect_same();
  }
}

TEST(DeformRewrites, OtherTypesStayAsTheyAre) {
  GraphBuilder b(19);
  std::vector<ValueId> inputs;
  for (const Shape& shape : {Shape{1, 6, 5, 5}, Shape{6, 6, 3, 3}, Shape{1, 18, 3, 3}}) {
    inputs.push_back(b.input(str("x", inputs.size()), Fact(DType::kFloat64, shape)));
  }
  b.output(b.op("DeformConv", inputs));
  EXPECT_EQ(optimized_ops(b), "DeformConv");
}

TEST(DeformRewrites, TakesABatchNormalizationAResidualAndAnActivation) {
  Block block(18);
  GraphBuilder& b = block.b;
  const auto parameter = [&](unsigned seed) { return b.constant(random_uniform({6}, 0.5f, 2.f, seed)); };
  ValueId y = deform_conv(b, block.x, block.field);
  y = b.op("BatchNormalization", {y, parameter(5), parameter(6), parameter(7), parameter(8)});
  b.output(b.op("Relu", {b.op("Add", {block.x, y})}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +Conv +DeformConv Transpose");
  block.expect_same();
}

TEST(DeformRewrites, ABatchNormalizationFoldsWhereThereIsNoBias) {
  Block block(18);
  GraphBuilder& b = block.b;
  const ValueId y = b.op("DeformConv", {block.x, b.constant(random_tensor({6, 6, 3, 3}, 3)), block.field}, kSame);
  b.output(b.op("Mul", {y, b.constant(random_tensor({6, 1, 1}, 4))}));
  EXPECT_TRUE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, AResultThatIsReadElsewhereStays) {
  Block block(18);
  const ValueId y = deform_conv(block.b, block.x, block.field);
  block.b.output(block.b.op("Mul", {y, block.b.constant(random_tensor({6, 1, 1}, 4))}));
  block.b.output(block.b.op("Relu", {y}));
  const Model model = block.b.model();
  EXPECT_EQ(count_ops(model, "Relu") + count_ops(model, "Mul"), 2);
  block.expect_same();
}

TEST(DeformRewrites, TheThirdsOfAConvolutionAreReadWhereTheyLie) {
  Block block(27);
  const auto thirds = block.split({9, 9, 9});
  block.finish(block.join(thirds[0], thirds[1]), block.sigmoid(thirds[2]));
  EXPECT_TRUE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, SoAreThoseOfImagesOfAnySize) {
  Block block(27, {Dim("N"), 3, Dim("H"), Dim("W")});
  const auto parts = block.split({18, 9});
  block.finish(parts[0], block.sigmoid(parts[1]));
  EXPECT_TRUE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, SoAreSlices) {
  Block thirds(27), parts(27);
  thirds.finish(thirds.join(thirds.slice(0, 9), thirds.slice(9, 18)), thirds.sigmoid(thirds.slice(18, 1000)));
  parts.finish(parts.slice(-100, 18), parts.sigmoid(parts.slice(-9, 27)));
  for (const Block* block : {&thirds, &parts}) {
    EXPECT_TRUE(block->takes_field());
    block->expect_same();
  }
}

TEST(DeformRewrites, SoAreThoseOfSeveralOffsetGroups) {
  Block block(81);
  const auto parts = block.split({54, 27});
  GraphBuilder& b = block.b;
  Attributes attributes = kSame;
  attributes["offset_group"] = int64_t{3};
  const ValueId w = b.constant(random_tensor({6, 6, 3, 3}, 3));
  b.output(b.op("DeformConv", {block.x, w, parts[0], kNoValue, block.sigmoid(parts[1])}, attributes));
  EXPECT_TRUE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, AMaskWithoutASigmoidStays) {
  Block block(27);
  const auto parts = block.split({18, 9});
  block.finish(parts[0], block.b.op("HardSigmoid", {parts[1]}));
  EXPECT_FALSE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, PartsInAnotherOrderStay) {
  Block swapped(27), mask_first(27);
  const auto thirds = swapped.split({9, 9, 9});
  swapped.finish(swapped.join(thirds[1], thirds[0]), swapped.sigmoid(thirds[2]));
  const auto parts = mask_first.split({9, 18});
  mask_first.finish(parts[1], mask_first.sigmoid(parts[0]));
  for (const Block* block : {&swapped, &mask_first}) {
    EXPECT_FALSE(block->takes_field());
    block->expect_same();
  }
}

TEST(DeformRewrites, PartsWithOtherChannelsAroundThemStay) {
  for (const Ints& sizes : {Ints{2, 18, 9}, Ints{18, 9, 2}, Ints{18, 2, 9}}) {
    Block block(29);
    std::vector<ValueId> parts;
    const auto all = block.split(sizes);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != 2) parts.push_back(all[i]);
    }
    block.finish(parts[0], block.sigmoid(parts[1]));
    EXPECT_FALSE(block.takes_field());
    block.expect_same();
  }
}

TEST(DeformRewrites, SlicesThatSkipChannelsStay) {
  Block block(27);
  block.finish(block.join(block.slice(0, 18, 2), block.slice(9, 18)), block.sigmoid(block.slice(18, 27)));
  EXPECT_FALSE(block.takes_field());
  block.expect_same();
}

TEST(DeformRewrites, PartsOfTwoConvolutionsStay) {
  Block block(27);
  const ValueId offset = block.slice(0, 18);
  block.field = conv_of_kernel(block.b, block.x, 6, 27, 3, 9);
  block.finish(offset, block.sigmoid(block.slice(18, 27)));
  EXPECT_FALSE(block.takes_field());
  block.expect_same();
}

}  // namespace
}  // namespace linnet::testing
