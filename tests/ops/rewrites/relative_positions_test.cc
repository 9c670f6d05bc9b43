#include <gtest/gtest.h>

#include "ops/rewrites/attention_heads.h"

namespace linnet::testing {
namespace {

constexpr int64_t kMatrices = kBatch * kHeads, kPositions = 32;
const Shape kRows{kMatrices, kLength, kSize};

/// Returns matrices of positions, one for each head, that a Tile repeats along each axis.
ValueId tiled(GraphBuilder& b, ValueId positions, const std::vector<int64_t>& repeats = {kBatch, 1, 1}) {
  return b.op("Tile", {positions, ints(b, repeats)});
}

std::string ops_of_product(const Shape& rows, const Shape& positions, const std::vector<int64_t>& repeats,
                           const std::vector<int64_t>& perm) {
  GraphBuilder b;
  ValueId matrices = tiled(b, b.input("p", positions), repeats);
  if (!perm.empty()) matrices = swap(b, matrices, perm);
  b.output(b.op("MatMul", {b.input("x", rows), matrices}));
  expect_unchanged(b, randoms({positions, rows}));
  return optimized_ops(b);
}

TEST(ShareTiledMatrices, ThoseOfEachSampleAreBroadcast) {
  const std::string shared = "Reshape MatMul Reshape";
  EXPECT_EQ(ops_of_product(kRows, {kHeads, kSize, kPositions}, {kBatch, 1, 1}, {}), shared);
  EXPECT_EQ(ops_of_product(kRows, {kHeads, kPositions, kSize}, {kBatch, 1, 1}, {0, 2, 1}), "Transpose " + shared);
  EXPECT_EQ(ops_of_product({4, 3, kLength, kSize}, {2, 3, kSize, 5}, {2, 1, 1, 1}, {}), shared);
}

TEST(ShareTiledMatrices, NotOfOtherRepetitions) {
  EXPECT_EQ(ops_of_product(kRows, {kMatrices, kSize, 16}, {1, 1, 2}, {}), "Tile MatMul");
  EXPECT_EQ(ops_of_product(kRows, {kHeads, kSize, 16}, {kBatch, 1, 2}, {}), "Tile MatMul");
}

TEST(ShareTiledMatrices, NotWhereTheirCountIsTransposed) {
  EXPECT_EQ(ops_of_product(kRows, {kSize / 2, kMatrices, 16}, {2, 1, 1}, {1, 0, 2}), "Tile Transpose MatMul");
}

TEST(ShareTiledMatrices, NotWhereRowsAreBroadcast) {
  EXPECT_EQ(ops_of_product({kLength, kSize}, {kHeads, kSize, kPositions}, {kBatch, 1, 1}, {}), "Tile MatMul");
  EXPECT_EQ(ops_of_product({1, kLength, kSize}, {kHeads, kSize, kPositions}, {kBatch, 1, 1}, {}), "Tile MatMul");
}

/// Returns indices of as many columns as there are rows: `first`, first + step, ...
Tensor columns_from(int64_t first, int64_t step = 1) {
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < kLength * kLength; ++i) columns.push_back(first + step * (i % kLength));
  return Tensor::of<int64_t>({1, kLength, kLength}, columns);
}

ValueId expanded(GraphBuilder& b, ValueId indices) {
  return b.op("Expand", {indices, ints(b, {kMatrices, kLength, kLength})});
}

/// Returns the optimised operators of GatherElements(change(MatMul(x, p)), i).
template <class Change>
std::string ops_of_gather(const Tensor& indices, int64_t axis, Change change) {
  GraphBuilder b;
  const Shape positions{kMatrices, kSize, kPositions};
  const ValueId x = b.input("x", kRows), p = b.input("p", positions);
  const ValueId scores = change(b, b.op("MatMul", {x, p}));
  b.output(b.op("GatherElements", {scores, expanded(b, b.constant(indices))}, {{"axis", axis}}));
  expect_unchanged(b, randoms({kRows, positions}));
  return optimized_ops(b);
}

std::string ops_of_gather(const Tensor& indices, int64_t axis = -1) {
  return ops_of_gather(indices, axis, [](GraphBuilder&, ValueId scores) { return scores; });
}

TEST(NarrowGatheredProduct, ColumnsThatAreNamedAreMultiplied) {
  EXPECT_EQ(ops_of_gather(columns_from(10)), "Slice MatMul GatherElements");
  EXPECT_EQ(ops_of_gather(columns_from(26), 2), "Slice MatMul GatherElements");
  const auto with_columns = [](GraphBuilder& b, ValueId scores) {
    return b.op("Reshape", {b.op("Reshape", {scores, ints(b, {kBatch, kHeads, kLength, kPositions})}),
                            ints(b, {-1, kLength, kPositions})});
  };
  EXPECT_EQ(ops_of_gather(columns_from(0), -1, with_columns), "Slice MatMul GatherElements");
}

TEST(NarrowGatheredProduct, NotWhereMostColumnsAreNamed) {
  EXPECT_EQ(ops_of_gather(columns_from(1, 5)), "MatMul GatherElements");
}

TEST(NarrowGatheredProduct, NotForColumnsFromTheEnd) {
  EXPECT_EQ(ops_of_gather(columns_from(-3)), "MatMul GatherElements");
}

TEST(NarrowGatheredProduct, NotAlongRows) { EXPECT_EQ(ops_of_gather(columns_from(0), 1), "MatMul GatherElements"); }

TEST(NarrowGatheredProduct, NotWhereTheProductIsReadElsewhere) {
  const auto read = [](GraphBuilder& b, ValueId scores) {
    b.output(b.op("Tanh", {scores}));
    return scores;
  };
  EXPECT_EQ(ops_of_gather(columns_from(10), -1, read), "MatMul Tanh GatherElements");
}

TEST(NarrowGatheredProduct, NotOverAReshapeOfColumns) {
  const auto split = [](GraphBuilder& b, ValueId scores) {
    return b.op("Reshape", {scores, ints(b, {kMatrices, kLength * 2, kPositions / 2})});
  };
  EXPECT_EQ(ops_of_gather(columns_from(2), -1, split), "MatMul Reshape GatherElements");
}

/// In DeBERTa's scores of contents by positions, samples share a matrix.
TEST(NarrowGatheredProduct, ColumnsOfMatricesThatSamplesShare) {
  GraphBuilder b;
  const Shape positions{kHeads, kPositions, kSize};
  const ValueId x = b.input("x", kRows), p = b.input("p", positions);
  const ValueId scores = b.op("MatMul", {x, swap(b, tiled(b, p), {0, 2, 1})});
  b.output(b.op("GatherElements", {scores, expanded(b, b.constant(columns_from(13)))}, {{"axis", int64_t{-1}}}));
  EXPECT_EQ(optimized_ops(b), "Slice Transpose Reshape MatMul Reshape GatherElements");
  expect_unchanged(b, randoms({kRows, positions}));
}

}  // namespace
}  // namespace linnet::testing
