#include <gtest/gtest.h>

#include "ops/rewrites/attention_heads.h"

namespace linnet::testing {
namespace {

TEST(CancelReshapes, ReshapesThatUndoEachOther) {
  GraphBuilder b;
  const ValueId x = b.op("Reshape", {b.input("x", kJoined), ints(b, {-1, kSize})});
  b.output(b.op("Tanh", {b.op("Reshape", {x, ints(b, {kBatch, kLength, -1})})}));
  EXPECT_EQ(optimized_ops(b), "Tanh");
  expect_unchanged(b, randoms({kJoined}));
}

TEST(CancelReshapes, OneOfSeveralIsLeft) {
  GraphBuilder b;
  const ValueId x = b.op("Reshape", {b.input("x", kJoined), ints(b, {-1, kSize})});
  b.output(b.op("Tanh", {b.op("Flatten", {b.op("Unsqueeze", {x, ints(b, {1})})})}));
  EXPECT_EQ(optimized_ops(b), "Reshape Tanh");
  expect_unchanged(b, randoms({kJoined}));
}

TEST(CancelReshapes, OneDimMayBeOpen) {
  const auto graph = [](const Dim& batch, const std::vector<int64_t>& last) {
    GraphBuilder b;
    const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{batch, Dim("N"), 2 * kSize}));
    b.output(b.op("Tanh", {b.op("Reshape", {b.op("Reshape", {x, ints(b, {0, 0, 2, kSize})}), ints(b, last)})}));
    return b;
  };
  const GraphBuilder open = graph(kBatch, {-1, 2 * kSize});
  EXPECT_EQ(optimized_ops(open), "Reshape Tanh");
  for (const int64_t n : {3, 1, 0}) expect_unchanged(open, {random_tensor({kBatch, n, 2 * kSize})});
  EXPECT_EQ(optimized_ops(graph(Dim("B"), {0, -1, kSize})), "Reshape Reshape Tanh") << "two open dims";
}

TEST(CancelReshapes, TheShapeOfNoElementsIsNotWrittenAnew) {
  GraphBuilder b;
  const ValueId x = b.op("Reshape", {b.input("x", Shape{0, 2}), ints(b, {2, 0})}, {{"allowzero", int64_t{1}}});
  b.output(b.op("Tanh", {b.op("Unsqueeze", {x, ints(b, {1})})}));
  EXPECT_EQ(optimized_ops(b), "Reshape Unsqueeze Tanh");
}

TEST(CancelReshapes, AnOutputStays) {
  GraphBuilder b;
  const ValueId x = b.op("Reshape", {b.input("x", kJoined), ints(b, {-1, kSize})});
  b.output(b.op("Reshape", {x, ints(b, {kBatch, kLength, -1})}));
  EXPECT_EQ(optimized_ops(b), "Reshape Reshape");
}

ValueId transposed_matrices(GraphBuilder& b, ValueId x, int64_t rows, const std::vector<int64_t>& perm,
                            const std::vector<int64_t>& shape) {
  const ValueId merged = b.op("Reshape", {x, ints(b, {-1, rows, kSize * kLength / rows})});
  return b.op("Tanh", {b.op("Reshape", {swap(b, merged, perm), ints(b, shape)})});
}

TEST(CancelReshapes, MatricesThatAreTransposedTogether) {
  GraphBuilder b;
  b.output(transposed_matrices(b, b.input("x", kSplit), kLength, {0, 2, 1}, {kBatch, kHeads, kSize, kLength}));
  EXPECT_EQ(optimized_ops(b), "Transpose Tanh");
  expect_unchanged(b, randoms({kSplit}));
}

TEST(CancelReshapes, MatricesThatAreCountedOtherwiseAfterwards) {
  GraphBuilder b;
  b.output(transposed_matrices(b, b.input("x", kSplit), kLength, {0, 2, 1}, {kHeads, kBatch, kSize, kLength}));
  EXPECT_EQ(optimized_ops(b), "Reshape Transpose Tanh");
  expect_unchanged(b, randoms({kSplit}));
}

TEST(CancelReshapes, NotOtherMatricesOrTransposes) {
  const std::vector<int64_t> back{kBatch, kHeads, kSize, kLength};
  for (const auto& [rows, perm] :
       std::vector<std::pair<int64_t, std::vector<int64_t>>>{{kLength / 2, {0, 2, 1}}, {kLength, {1, 0, 2}}}) {
    GraphBuilder b;
    b.output(transposed_matrices(b, b.input("x", kSplit), rows, perm, back));
    EXPECT_EQ(optimized_ops(b), "Reshape Transpose Reshape Tanh");
    expect_unchanged(b, randoms({kSplit}));
  }
}

TEST(DropIdentity, ReshapesExpandsAndCastsToWhatIsThere) {
  GraphBuilder b;
  ValueId x = b.op("Reshape", {b.input("x", kJoined), ints(b, {kBatch, -1, kHeads * kSize})});
  x = b.op("Expand", {x, ints(b, {1, kLength, 1})});
  b.output(b.op("Tanh", {b.op("Cast", {x}, {{"to", int64_t(DType::kFloat32)}})}));
  EXPECT_EQ(optimized_ops(b), "Tanh");
  expect_unchanged(b, randoms({kJoined}));
}

TEST(DropIdentity, NotThoseThatChangeAnything) {
  GraphBuilder b;
  ValueId x = b.op("Reshape", {b.input("x", kJoined), ints(b, {kLength, -1, kHeads * kSize})});
  x = b.op("Expand", {x, ints(b, {2, 1, 1, 1})});
  b.output(b.op("Tanh", {b.op("Cast", {x}, {{"to", int64_t(DType::kFloat64)}})}));
  EXPECT_EQ(optimized_ops(b), "Reshape Expand Cast Tanh");
}

TEST(DropIdentity, DropoutsOfNothing) {
  for (const float ratio : {0.0f, 0.5f}) {
    GraphBuilder b;
    const ValueId training = b.constant(Tensor::of<bool>(Shape{}, {true}));
    b.output(b.op("Tanh", {b.op("Dropout", {b.input("x", kJoined), b.constant(Tensor::scalar(ratio)), training})}));
    EXPECT_EQ(optimized_ops(b), ratio == 0 ? "Tanh" : "Dropout Tanh");
  }
}

}  // namespace
}  // namespace linnet::testing
