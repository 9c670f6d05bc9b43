#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing::rotary_embedding {
namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kLength = 5, kSize = 8, kRotated = 6;
const Shape kHeadsInFront{kBatch, kHeads, kLength, kSize};

ValueId slice(GraphBuilder& b, ValueId x, int64_t begin, int64_t end, int64_t step = 1, int64_t axis = 3) {
  return b.op("Slice", {x, ints(b, {begin}), ints(b, {end}), ints(b, {axis}), ints(b, {step})});
}

constexpr int64_t kEnd = INT64_MAX;

/// Returns Concat(-x2, x1) of the halves, which end at first_end and begin at second_begin.
ValueId halves(GraphBuilder& b, ValueId x, int64_t first_end = kSize / 2, int64_t second_begin = kSize / 2) {
  const ValueId second = b.op("Neg", {slice(b, x, second_begin, kEnd)});
  return b.op("Concat", {second, slice(b, x, 0, first_end)}, {{"axis", int64_t{-1}}});
}

ValueId split_halves(GraphBuilder& b, ValueId x) {
  const auto parts = b.ops("Split", {x, ints(b, {kSize / 2, kSize / 2})}, 2, {{"axis", int64_t{-1}}});
  return b.op("Concat", {b.op("Neg", {parts[1]}), parts[0]}, {{"axis", int64_t{3}}});
}

ValueId pairs(GraphBuilder& b, ValueId x, int64_t first = 0, int64_t second = 1) {
  const ValueId axis = ints(b, {-1});
  const ValueId even = b.op("Unsqueeze", {slice(b, x, first, kEnd, 2), axis});
  const ValueId odd = b.op("Unsqueeze", {b.op("Neg", {slice(b, x, second, kEnd, 2)}), axis});
  const ValueId both = b.op("Concat", {odd, even}, {{"axis", int64_t{-1}}});
  return b.op("Reshape", {both, ints(b, {kBatch, kHeads, kLength, kSize})});
}

struct Angles {
  ValueId cos, sin;
};

Angles angles(GraphBuilder& b, const Shape& shape) { return {b.input("cos", shape), b.input("sin", shape)}; }

ValueId turned(GraphBuilder& b, ValueId x, ValueId rotated, const Angles& a) {
  return b.op("Add", {b.op("Mul", {x, a.cos}), b.op("Mul", {rotated, a.sin})});
}

void expect_ops(const GraphBuilder& b, const std::string& ops, const std::vector<Shape>& inputs) {
  EXPECT_EQ(optimized_ops(b), ops);
  std::vector<Tensor> values;
  for (const Shape& shape : inputs) values.push_back(random_tensor(shape, unsigned(values.size() + 1)));
  expect_unchanged(b, values);
}

const Shape kOfSamples{kBatch, 1, kLength, kSize}, kShared{1, 1, kLength, kSize};

TEST(RecognizeRotaryEmbedding, HalvesThatAreSwapped) {
  for (const auto rotated : {+[](GraphBuilder&b, ValueId x) { return halves(b, x); }, &split_halves}) {
    for (const Shape& shape : {kOfSamples, kShared}) {
      GraphBuilder b;
      const ValueId x = b.input("x", kHeadsInFront);
      b.output(turned(b, x, rotated(b, x), angles(b, shape)));
      expect_ops(b, "Squeeze Squeeze +RotaryEmbedding", {kHeadsInFront, shape, shape});
    }
  }
}

TEST(RecognizeRotaryEmbedding, NeighboursThatAreSwapped) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, pairs(b, x), angles(b, kOfSamples)));
  expect_ops(b, "Squeeze Squeeze +RotaryEmbedding", {kHeadsInFront, kOfSamples, kOfSamples});
}

TEST(RecognizeRotaryEmbedding, InAnyOrderOfOperands) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  const Angles a = angles(b, {kLength, kSize});
  b.output(b.op("Add", {b.op("Mul", {a.sin, halves(b, x)}), b.op("Mul", {a.cos, x})}));
  expect_ops(b, "Unsqueeze Unsqueeze +RotaryEmbedding", {kHeadsInFront, {kLength, kSize}, {kLength, kSize}});
}

TEST(RecognizeRotaryEmbedding, HeadsSideBySide) {
  const Shape side_by_side{kBatch, kHeads, kLength, kSize};
  for (const Shape& shape : {Shape{kBatch, kHeads, 1, kSize}, Shape{1, kHeads, 1, kSize}}) {
    GraphBuilder b;
    const ValueId x = b.input("x", side_by_side);
    b.output(turned(b, x, pairs(b, x), angles(b, shape)));
    expect_ops(b, "Squeeze Squeeze +RotaryEmbedding", {side_by_side, shape, shape});
  }
  GraphBuilder b;
  const ValueId x = b.input("x", side_by_side);
  b.output(turned(b, x, halves(b, x), angles(b, {kHeads, 1, kSize})));
  expect_ops(b, "Reshape Reshape +RotaryEmbedding", {side_by_side, {kHeads, 1, kSize}, {kHeads, 1, kSize}});
}

/// Expects that nothing becomes a RotaryEmbedding.
void expect_spelt(const GraphBuilder& b, const std::vector<Shape>& inputs) {
  EXPECT_EQ(optimized_ops(b).find("RotaryEmbedding"), std::string::npos) << optimized_ops(b);
  std::vector<Tensor> values;
  for (const Shape& shape : inputs) values.push_back(random_tensor(shape, unsigned(values.size() + 1)));
  expect_unchanged(b, values);
}

TEST(RecognizeRotaryEmbedding, NotOfPartsThatAreNoHalves) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, halves(b, x, kSize / 2 - 1, kSize / 2 - 1), angles(b, kOfSamples)));
  expect_spelt(b, {kHeadsInFront, kOfSamples, kOfSamples});
}

TEST(RecognizeRotaryEmbedding, NotOfOddNumbersFirst) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, pairs(b, x, 1, 0), angles(b, kOfSamples)));
  expect_spelt(b, {kHeadsInFront, kOfSamples, kOfSamples});
}

TEST(RecognizeRotaryEmbedding, NotOfAnotherTensorsHalves) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront), other = b.input("other", kHeadsInFront);
  b.output(turned(b, x, halves(b, other), angles(b, kOfSamples)));
  expect_spelt(b, {kHeadsInFront, kHeadsInFront, kOfSamples, kOfSamples});
}

TEST(RecognizeRotaryEmbedding, NotWhereHeadsHaveAnglesOfTheirOwn) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, halves(b, x), angles(b, kHeadsInFront)));
  expect_spelt(b, {kHeadsInFront, kHeadsInFront, kHeadsInFront});
}

TEST(RecognizeRotaryEmbedding, NotWhereOneOfTheAnglesIsShared) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, halves(b, x), {b.input("cos", kOfSamples), b.input("sin", kShared)}));
  expect_spelt(b, {kHeadsInFront, kOfSamples, kShared});
}

TEST(RecognizeRotaryEmbedding, NotWhereRowsShareAngles) {
  GraphBuilder b;
  const ValueId x = b.input("x", kHeadsInFront);
  b.output(turned(b, x, halves(b, x), angles(b, {kBatch, 1, 1, kSize})));
  expect_spelt(b, {kHeadsInFront, {kBatch, 1, 1, kSize}, {kBatch, 1, 1, kSize}});
}

/// Rotates the values of each row up to `end`, and appends those from `begin` on.
ValueId partly_rotated(GraphBuilder& b, ValueId x, int64_t end, int64_t begin) {
  const ValueId first = slice(b, x, 0, end);
  const ValueId minus_second = b.op("Neg", {slice(b, first, end / 2, kEnd)});
  const ValueId rotated = b.op("Concat", {minus_second, slice(b, first, 0, end / 2)}, {{"axis", int64_t{-1}}});
  const ValueId y = turned(b, first, rotated, angles(b, {kBatch, 1, kLength, end}));
  return b.op("Concat", {y, slice(b, x, begin, kEnd)}, {{"axis", int64_t{-1}}});
}

const Shape kPartOfSamples{kBatch, 1, kLength, kRotated};

TEST(ExtendRotaryEmbedding, RowsThatAreRotatedInPart) {
  GraphBuilder b;
  b.output(partly_rotated(b, b.input("x", kHeadsInFront), kRotated, kRotated));
  expect_ops(b, "Squeeze Squeeze +RotaryEmbedding", {kHeadsInFront, kPartOfSamples, kPartOfSamples});
}

TEST(ExtendRotaryEmbedding, NotWhereTheRestBeginsElsewhere) {
  GraphBuilder b;
  b.output(partly_rotated(b, b.input("x", kHeadsInFront), kRotated, kRotated - 1));
  expect_ops(b, "Slice Squeeze Squeeze +RotaryEmbedding Slice Concat", {kHeadsInFront, kPartOfSamples, kPartOfSamples});
}

TEST(SinkTransposeThroughRotaryEmbedding, HeadsStaySideBySide) {
  const Shape side_by_side{kBatch, kLength, kHeads, kSize};
  GraphBuilder b;
  const ValueId x = b.op("Transpose", {b.input("x", side_by_side)}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  const ValueId y = turned(b, x, halves(b, x), angles(b, kOfSamples));
  b.output(b.op("Tanh", {b.op("Transpose", {y}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}})}));
  expect_ops(b, "Squeeze Squeeze +RotaryEmbedding Tanh", {side_by_side, kOfSamples, kOfSamples});
}

TEST(SinkTransposeThroughRotaryEmbedding, NotOfAnotherTranspose) {
  const Shape columns{kBatch, kHeads, kSize, kLength};
  GraphBuilder b;
  const ValueId x = b.op("Transpose", {b.input("x", columns)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  b.output(b.op("Tanh", {turned(b, x, halves(b, x), angles(b, kOfSamples))}));
  expect_ops(b, "Transpose Squeeze Squeeze +RotaryEmbedding Tanh", {columns, kOfSamples, kOfSamples});
}

}  // namespace
}  // namespace linnet::testing::rotary_embedding
