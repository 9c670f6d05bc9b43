#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Shape kSmallImage{1, 3, 4, 4};

/// Adds a convolution from 3 channels to 4, which is also the width of the image: a vector fits both.
ValueId conv_1x1(GraphBuilder& b, ValueId x, int64_t in = 3, unsigned seed = 1) {
  return b.op("Conv", {x, b.constant(random_tensor({4, in, 1, 1}, seed))});
}

TEST(OldOpsets, APReluBeforeOpset7HasASlopeForEachChannelBehindAConvolution) {
  for (const int64_t opset : {1, 6}) {
    GraphBuilder b(opset);
    b.output(b.op("PRelu", {conv_1x1(b, b.input("x", kSmallImage)), b.constant(random_tensor({4}, 2))}));
    expect_unchanged(b, {random_tensor(kSmallImage)});
    EXPECT_EQ(count_ops(b.model(), "PRelu"), 0) << "the convolution applies it";
  }
}

TEST(OldOpsets, APReluBeforeOpset7WhoseSlopeIsAnInputOfTheGraph) {
  GraphBuilder b(6);
  const ValueId slope = b.input("slope", Shape{4});
  b.output(conv_1x1(b, b.op("PRelu", {conv_1x1(b, b.input("x", kSmallImage)), slope}), 4));
  expect_unchanged(b, {random_tensor({4}, 2), random_tensor(kSmallImage)});
}

TEST(OldOpsets, APReluOfImagesWhoseRankIsOpenIsAppliedToChannels) {
  GraphBuilder b(6);
  const ValueId x = b.input("x", Fact(DType::kFloat32, std::nullopt));
  b.output(b.op("PRelu", {conv_1x1(b, x), b.constant(random_tensor({4}, 2))}));
  expect_unchanged(b, {random_tensor(kSmallImage)});
}

TEST(OldOpsets, OperandsAlignedByAnAxisFuseAsBroadcastOnesDo) {
  const Attributes channels{{"broadcast", int64_t{1}}, {"axis", int64_t{1}}};
  for (const char* op_type : {"Add", "Sub", "Mul", "Div"}) {
    GraphBuilder b(6);
    b.output(b.op(op_type, {conv_1x1(b, b.input("x", kSmallImage)), b.constant(random_uniform({4}, 0.5f, 2.f, 2))},
                  channels));
    expect_unchanged(b, {random_tensor(kSmallImage)});
    EXPECT_EQ(count_ops(b.model(), op_type), 0) << op_type;
  }
}

TEST(OldOpsets, OperandsAlignedByAnAxisMoveWithTheLayout) {
  for (const int64_t axis : {0, 1, 2, 3, -1, -2}) {
    for (const bool constant : {false, true}) {
      const int64_t rank = axis == 0 || axis == 1 ? 2 : 1;
      const Shape shape = axis == 0 ? Shape{1, 4} : rank == 2 ? Shape{4, 4} : Shape{4};
      GraphBuilder b(6);
      const ValueId y = conv_1x1(b, b.input("x", kSmallImage));
      const ValueId c = constant ? b.constant(random_tensor(shape, 2)) : b.input("c", shape);
      b.output(conv_1x1(b, b.op("Add", {y, c}, {{"broadcast", int64_t{1}}, {"axis", axis}}), 4));
      std::vector<Tensor> inputs{random_tensor(kSmallImage)};
      if (!constant) inputs.push_back(random_tensor(shape, 2));
      expect_unchanged(b, inputs);
    }
  }
}

TEST(OldOpsets, OperandsOfOneShapeNeedNoAttribute) {
  GraphBuilder b(6);
  const ValueId x = b.input("x", kSmallImage);
  const ValueId y = b.op("Abs", {conv_1x1(b, x)});
  b.output(b.op("Relu", {b.op("Add", {conv_1x1(b, y, 4, 2), y})}));
  expect_unchanged(b, {random_tensor(kSmallImage)});
  EXPECT_EQ(count_ops(b.model(), "Add"), 0) << "the convolution adds it";
}

TEST(OldOpsets, ComparisonsAndConnectivesAreAlignedToo) {
  GraphBuilder b(6);
  const Attributes channels{{"broadcast", int64_t{1}}, {"axis", int64_t{1}}};
  const ValueId y = conv_1x1(b, b.input("x", kSmallImage)), limits = b.constant(random_tensor({4}, 2));
  const ValueId flags = b.input("flags", Fact(DType::kBool, Shape{4}));
  b.output(b.op("And", {b.op("Less", {y, limits}, channels), flags}, channels));
  b.output(b.op("Pow", {b.op("Abs", {y}), b.constant(random_tensor({4}, 3))}, channels));
  const Tensor flags_in = Tensor::of(Shape{4}, std::vector<bool>{true, false, true, true});
  expect_unchanged(b, {random_tensor(kSmallImage), flags_in});
  EXPECT_EQ(count_ops(b.model(), "Unsqueeze"), 1) << "of the flags; constants are folded";
}

TEST(OldOpsets, AResizeOfOpset10RunsChannelsLast) {
  for (const auto& [mode, scales] : std::vector<std::pair<std::string, std::vector<float>>>{
           {"nearest", {1, 1, 2, 2}}, {"nearest", {1, 1, 0.6f, 1.7f}}, {"linear", {1, 1, 2.5f, 0.5f}}}) {
    GraphBuilder b(10);
    const ValueId x = b.input("x", Shape{1, 3, 8, 8});
    const Attributes attributes{{"mode", mode}};
    const ValueId resized = b.op("Resize", {conv_1x1(b, x), b.constant(Tensor::of(scales))}, attributes);
    b.output(b.op("Relu", {resized}));
    expect_unchanged(b, {random_tensor({1, 3, 8, 8})});
    EXPECT_EQ(count_ops(b.model(), "Resize", "linnet"), 1);
  }
}

TEST(OldOpsets, AResizeOfOpset10WhoseScalesAreAnInputRunsChannelsLast) {
  GraphBuilder b(10);
  const ValueId x = b.input("x", Shape{1, 3, 8, 8}), scales = b.input("scales", Shape{4});
  b.output(b.op("Relu", {b.op("Resize", {conv_1x1(b, x), scales})}));
  expect_unchanged(b, {random_tensor({1, 3, 8, 8}), Tensor::of(std::vector<float>{1, 1, 1.5f, 0.5f})});
}

}  // namespace
}  // namespace linnet::testing
