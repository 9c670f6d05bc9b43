#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

ValueId same_conv(GraphBuilder& b, ValueId x, int64_t in, int64_t out, unsigned seed = 1) {
  return b.op("Conv", {x, b.constant(random_tensor({out, in, 3, 3}, seed)), b.constant(random_tensor({out}, seed + 1))},
              kSame);
}

TEST(Rewrites, AConvolutionChainRunsChannelsLastWithFusedEpilogues) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3, 8, 8});
  const ValueId y = b.op("Relu", {same_conv(b, x, 3, 4)});
  const ValueId z = b.op("Relu", {b.op("Add", {same_conv(b, y, 4, 4, 3), y})});
  b.output(z);
  EXPECT_EQ(count_ops(b.model(), "Conv", "linnet"), 2);
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 2);
  EXPECT_EQ(model_graph(b.model()).nodes().size(), 4u);
  expect_unchanged(b, {random_tensor({2, 3, 8, 8})});
}

TEST(Rewrites, BatchNormalizationFoldsIntoTheConvolutionBeforeIt) {
  GraphBuilder b;
  b.output(batch_norm(b, same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4), 4));
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "BatchNormalization"), 0);
  EXPECT_EQ(count_ops(model, "Conv", "linnet"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, BatchNormalizationDoesNotFoldIntoAConvolutionThatIsReadElsewhere) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
  b.output(batch_norm(b, y, 4));
  b.output(y);
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "Conv", "linnet"), 2);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, ArithmeticWithOneConstantPerChannelFoldsIntoTheConvolutionBeforeIt) {
  GraphBuilder b;
  ValueId y = same_conv(b, b.input("x", Shape{2, 3, 6, 6}), 3, 4);
  y = b.op("Mul", {b.constant(random_tensor({1, 4, 1, 1}, 11)), y});
  y = b.op("Sub", {y, b.constant(random_tensor({4, 1, 1}, 12))});
  y = b.op("Div", {y, b.constant(random_uniform({4, 1, 1}, 0.5f, 2.f, 13))});
  b.output(b.op("Add", {y, b.constant(Tensor::scalar(0.5f))}));
  EXPECT_EQ(model_graph(b.model()).nodes().size(), 3u);  // Transpose, Conv, Transpose
  expect_unchanged(b, {random_tensor({2, 3, 6, 6})});
}

TEST(Rewrites, ArithmeticThatIsNotOneFiniteFactorPerChannelDoesNotFold) {
  const auto is_kept = [](const std::string& op, const Tensor& constant, int constant_input = 1, int64_t channels = 4) {
    GraphBuilder b;
    std::vector<ValueId> inputs{same_conv(b, b.input("x", Shape{2, 3, 6, 6}), 3, channels), b.constant(constant)};
    if (constant_input == 0) std::swap(inputs[0], inputs[1]);
    b.output(b.op(op, inputs));
    EXPECT_EQ(count_ops(b.model(), op), 1) << op << ' ' << constant.shape();
    expect_unchanged(b, {random_tensor({2, 3, 6, 6})});
  };
  is_kept("Mul", random_tensor({6}, 11));
  is_kept("Mul", random_tensor({2, 1, 1, 1}, 11));
  is_kept("Mul", random_tensor({4, 1, 6}, 11));
  is_kept("Mul", random_tensor({1, 2, 4, 1, 1}, 11));
  is_kept("Add", random_tensor({5, 1, 1}, 11), 1, 1);
  is_kept("Sub", random_tensor({4, 1, 1}, 11), 0);
  is_kept("Div", Tensor::of(Shape{4, 1, 1}, std::vector<float>{1, 2, 0, 3}));
}

TEST(Rewrites, BatchNormalizationAmongConvolutionsBecomesADepthwiseConvolution) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
  b.output(b.op("Relu", {batch_norm(b, b.op("Concat", {y, b.op("Relu", {y})}, {{"axis", int64_t{1}}}), 8)}));
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "BatchNormalization"), 0);
  EXPECT_EQ(count_ops(model, "Relu"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, BatchNormalizationAloneStays) {
  GraphBuilder b;
  b.output(batch_norm(b, b.input("x", Shape{1, 3, 6, 6}), 3));
  EXPECT_EQ(count_ops(b.model(), "BatchNormalization"), 1);
}

TEST(Rewrites, TransposesPassThroughPoolsConcatSliceAndReductions) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 3, 8, 8});
  const ValueId y = same_conv(b, x, 3, 4), z = same_conv(b, x, 3, 4, 9);
  const Attributes two{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}};
  const ValueId joined =
      b.op("Concat", {b.op("MaxPool", {y}, two), b.op("AveragePool", {z}, two)}, {{"axis", int64_t{1}}});
  const auto ints = [&](std::vector<int64_t> values) { return b.constant(Tensor::of(values)); };
  const ValueId part = b.op("Slice", {joined, ints({1}), ints({7}), ints({1})});
  const auto halves = b.ops("Split", {part}, 2, {{"axis", int64_t{1}}});
  const ValueId padded = b.op("Pad", {halves[0], ints({0, 1, 2, 0, 0, 0, 1, 1})});
  b.output(b.op("GlobalAveragePool", {padded}));
  b.output(b.op("ReduceMean", {halves[1]}, {{"axes", std::vector<int64_t>{2, 3}}, {"keepdims", int64_t{0}}}));
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "Transpose"), 2);
  expect_unchanged(b, {random_tensor({1, 3, 8, 8})});
}

TEST(Rewrites, ResizeRunsChannelsLast) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 4, 5}), 3, 4);
  const ValueId scales = b.constant(Tensor::of(std::vector<float>{1, 1, 2, 3}));
  const ValueId z = b.op("Resize", {y, kNoValue, scales}, {{"mode", std::string("linear")}});
  b.output(same_conv(b, z, 4, 2, 9));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 2);
  EXPECT_EQ(count_ops(b.model(), "Resize", "linnet"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 4, 5})});
}

TEST(Rewrites, AnImageIsReadChannelsFirst) {
  GraphBuilder b;
  b.output(same_conv(b, same_conv(b, b.input("x", Shape{1, 3, 20, 20}), 3, 4), 4, 2, 9));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 1);  // The Transpose of the output.
  expect_unchanged(b, {random_tensor({1, 3, 20, 20})});
}

TEST(Rewrites, MoreChannelsAndSmallImagesAreTransposed) {
  for (const auto& [channels, width] : {std::pair<int64_t, int64_t>(5, 20), {3, 8}}) {
    GraphBuilder b;
    b.output(same_conv(b, b.input("x", Shape{1, channels, 20, width}), channels, 4));
    EXPECT_EQ(count_ops(b.model(), "Transpose"), 2);
  }
}

TEST(Rewrites, AResizeThatEndsTheGraphTakesItsInputInOrder) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 4, 5}), 3, 4);
  const ValueId scales = b.constant(Tensor::of(std::vector<float>{1, 1, 2, 3}));
  b.output(b.op("Resize", {y, kNoValue, scales}, {{"mode", std::string("linear")}}));
  EXPECT_EQ(count_ops(b.model(), "Resize", "linnet"), 0);
  expect_unchanged(b, {random_tensor({1, 3, 4, 5})});
}

TEST(Rewrites, BroadcastOperandsMoveWithTheLayout) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3, 8, 8});
  const ValueId y = same_conv(b, x, 3, 4);
  const ValueId gate = b.op("Sigmoid", {b.op("GlobalAveragePool", {y})});
  ValueId z = b.op("Mul", {gate, y});
  z = b.op("Add", {z, b.constant(random_tensor({4, 1, 1}, 3))});
  z = b.op("Div", {z, b.constant(random_uniform({8}, 1, 2, 4))});
  z = b.op("PRelu", {z, b.constant(random_tensor({4, 1, 1}, 5))});
  b.output(b.op("Mul", {z, b.constant(Tensor::scalar(0.5f))}));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 2);
  expect_unchanged(b, {random_tensor({2, 3, 8, 8})});
}

TEST(Rewrites, ABiasIsTransposedRatherThanWhatItIsAddedTo) {
  GraphBuilder b;
  const ValueId scores = b.input("scores", Shape{2, 3, 5, 5}), bias = b.input("bias", Shape{1, 5, 5, 3});
  const ValueId turned = b.op("Transpose", {bias}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  b.output(b.op("Softmax", {b.op("Add", {scores, turned})}, {{"axis", int64_t{-1}}}));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 1);
  expect_unchanged(b, {random_tensor({2, 3, 5, 5}), random_tensor({1, 5, 5, 3}, 2)});
}

TEST(Rewrites, EveryElementWiseOperatorRunsInAnyLayout) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{2, 3, 8, 8}), 3, 4);
  const ValueId positive = b.op("Greater", {y, b.constant(random_tensor({4, 1, 1}, 3))});
  const ValueId mask = b.op("Or", {b.op("Not", {positive}), b.op("IsNaN", {y})});
  const ValueId z = b.op("Where", {mask, y, b.constant(random_tensor({8}, 4))});
  const ValueId whole = b.op("Cast", {z}, {{"to", int64_t(DType::kInt32)}});
  const ValueId rest = b.op("Mod", {whole, b.constant(Tensor::of<int32_t>({3}))});
  const ValueId sum = b.op("Mean", {z, b.op("Cast", {rest}, {{"to", int64_t(DType::kFloat32)}}), y});
  b.output(same_conv(b, b.op("my_add", {sum, z}, {}, "custom"), 4, 4, 9));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 2) << optimized_ops(b);
  expect_unchanged(b, {random_tensor({2, 3, 8, 8})});
}

TEST(Rewrites, OperandsOfRankThreeMeetATransposeWhereItIs) {
  for (const std::string op : {"Sub", "Concat"}) {
    GraphBuilder b;
    const ValueId x = b.op("Transpose", {b.input("x", Shape{2, 4, 3})}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    const ValueId y =
        b.op(op, {x, b.input("y", Shape{2, 3, 4})}, op == "Sub" ? Attributes{} : Attributes{{"axis", int64_t{1}}});
    b.output(b.op("Exp", {b.op("Tanh", {y})}));
    EXPECT_EQ(optimized_ops(b), "Transpose " + op + " Tanh Exp");
    // Rewrites that run after all others also ran.
    EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 1);
    expect_unchanged(b, {random_tensor({2, 4, 3}), random_tensor({2, 3, 4}, 1)});
  }
}

TEST(Rewrites, ChannelShuffleStaysChannelsLast) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 4, 5}), 3, 6);
  const auto shape = [&](std::vector<int64_t> dims) { return b.constant(Tensor::of(dims)); };
  ValueId z = b.op("Reshape", {y, shape({1, 2, 3, 4, 5})});
  z = b.op("Transpose", {z}, {{"perm", std::vector<int64_t>{0, 2, 1, 3, 4}}});
  b.output(same_conv(b, b.op("Reshape", {z, shape({1, 6, 4, 5})}), 6, 2, 4));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 3);
  expect_unchanged(b, {random_tensor({1, 3, 4, 5})});
}

/// Divides [2,6,4,5] as in the original ShuffleNetV2: by a Reshape to `groups`, a Transpose, a Reshape to `parts` and a
/// Gather of the last part. Returns the number of Transposes left.
int transposes_of_parts(std::vector<int64_t> groups, std::vector<int64_t> parts, const Tensor& last) {
  GraphBuilder b;
  ValueId z = same_conv(b, b.input("x", Shape{2, 3, 4, 5}), 3, 6);
  z = b.op("Reshape", {z, b.constant(Tensor::of(groups))});
  z = b.op("Transpose", {z}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
  z = b.op("Gather", {b.op("Reshape", {z, b.constant(Tensor::of(parts))}), b.constant(last)}, {{"axis", int64_t{0}}});
  if (last.rank() == 1) z = b.op("Squeeze", {z, b.constant(Tensor::of(std::vector<int64_t>{0}))});
  b.output(same_conv(b, z, parts[2], 2, 4));
  expect_unchanged(b, {random_tensor({2, 3, 4, 5})});
  return count_ops(b.model(), "Transpose");
}

TEST(Rewrites, PartsOfAChannelShuffleStayChannelsLast) {
  EXPECT_EQ(transposes_of_parts({6, 2, 20}, {2, 2, 3, 4, 5}, Tensor::scalar(int64_t{1})), 3);
  EXPECT_EQ(transposes_of_parts({4, 3, 20}, {3, 2, 2, 4, 5}, Tensor::scalar(int64_t{-1})), 3);
}

TEST(Rewrites, OtherRegroupingsOfChannelsKeepTheirLayout) {
  EXPECT_EQ(transposes_of_parts({6, 2, 20}, {2, 2, 3, 5, 4}, Tensor::scalar(int64_t{1})), 5);
  EXPECT_EQ(transposes_of_parts({6, 2, 20}, {2, 1, 6, 4, 5}, Tensor::scalar(int64_t{1})), 5);
  EXPECT_EQ(transposes_of_parts({2, 6, 20}, {2, 2, 3, 4, 5}, Tensor::scalar(int64_t{1})), 5);
  EXPECT_EQ(transposes_of_parts({6, 2, 20}, {2, 2, 3, 4, 5}, Tensor::of(std::vector<int64_t>{1})), 5);
}

TEST(Rewrites, AResidualOfAnotherShapeIsNotFused) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3, 8, 8});
  b.output(b.op("Add", {same_conv(b, x, 3, 4), b.op("GlobalAveragePool", {same_conv(b, x, 3, 4, 7)})}));
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "Add"), 1);
  expect_unchanged(b, {random_tensor({2, 3, 8, 8})});
}

TEST(Rewrites, EveryActivationOfTheEpilogueIsFused) {
  for (const std::string activation :
       {"Relu", "LeakyRelu", "Elu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Softplus", "Clip", "PRelu"}) {
    GraphBuilder b;
    std::vector<ValueId> inputs{same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4)};
    if (activation == "Clip") inputs.insert(inputs.end(), {kNoValue, b.constant(Tensor::scalar(0.5f))});
    if (activation == "PRelu") inputs.push_back(b.constant(Tensor::scalar(-0.25f)));
    b.output(b.op(activation, inputs));
    EXPECT_EQ(model_graph(b.model()).nodes().size(), 3u) << activation;
    expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
  }
}

TEST(Rewrites, APReluOfOneSlopePerChannelIsFusedBehindTheResidual) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 3, 6, 6});
  const ValueId sum = b.op("Add", {same_conv(b, x, 3, 4), same_conv(b, x, 3, 4)});
  b.output(b.op("Sigmoid", {b.op("PRelu", {sum, b.constant(random_tensor({4, 1, 1}))})}));
  EXPECT_EQ(count_ops(b.model(), "PRelu"), 0);
  EXPECT_EQ(count_ops(b.model(), "Sigmoid"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, AConvolutionOfPixelsWithSlopesStaysOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 3, 6, 6});
  const ValueId both = b.op("Concat", {same_conv(b, x, 3, 4), same_conv(b, x, 3, 4, 7)}, {{"axis", int64_t{1}}});
  const ValueId pixels = b.op("Conv", {both, b.constant(random_tensor({5, 8, 1, 1}))});
  b.output(b.op("PRelu", {pixels, b.constant(random_tensor({5, 1, 1}))}));
  EXPECT_EQ(count_ops(b.model(), "Conv", "linnet"), 3);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, APReluOfOneSlopePerPixelIsNotFused) {
  for (const Shape& shape : {Shape{4, 6, 6}, Shape{1, 6, 6}, Shape{1, 1, 6}}) {
    GraphBuilder b;
    const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
    b.output(b.op("PRelu", {y, b.constant(random_tensor(shape))}));
    EXPECT_EQ(count_ops(b.model(), "PRelu"), 1) << shape;
    expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
  }
}

TEST(Rewrites, AnActivationOfAValueThatIsReadElsewhereIsNotFused) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
  b.output(b.op("Relu", {y}));
  b.output(y);
  EXPECT_EQ(count_ops(b.model(), "Relu"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, AClipWhoseBoundsAreCrossedIsNotFused) {
  GraphBuilder b;
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
  b.output(b.op("Clip", {y, b.constant(Tensor::scalar(0.5f)), b.constant(Tensor::scalar(-0.5f))}));
  EXPECT_EQ(count_ops(b.model(), "Clip"), 1);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, APadWithAxesKeepsItsLayout) {
  GraphBuilder b(18);
  const auto ints = [&](std::vector<int64_t> values) { return b.constant(Tensor::of(values)); };
  const ValueId y = same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4);
  const ValueId padded = b.op("Pad", {y, ints({1, 2, 1, 0, 0, 1, 0, 0}), kNoValue, ints({3, 2, 1, 0})});
  b.output(same_conv(b, padded, 5, 2, 5));
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 4);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, AConcatOfMostlyOtherValuesKeepsItsLayout) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 3, 6, 6});
  const ValueId joined = b.op("Concat", {same_conv(b, x, 3, 4), b.op("Exp", {x}), x}, {{"axis", int64_t{1}}});
  b.output(joined);
  EXPECT_EQ(count_ops(b.model(), "Transpose"), 2);
  expect_unchanged(b, {random_tensor({1, 3, 6, 6})});
}

TEST(Rewrites, EachCanBeSwitchedOffByName) {
  GraphBuilder b;
  b.output(b.op("Relu", {same_conv(b, b.input("x", Shape{1, 3, 6, 6}), 3, 4)}));
  ModelOptions options;
  options.disabled_rewrites = {"convert_conv_to_channels_last"};
  EXPECT_EQ(count_ops(model_graph(b.model(options)), "Conv"), 1);
  options.disabled_rewrites = {"fuse_activation"};
  EXPECT_EQ(count_ops(model_graph(b.model(options)), "Relu"), 1);
}

}  // namespace
}  // namespace linnet::testing
