#include <gtest/gtest.h>

#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kMostPositions = std::numeric_limits<int64_t>::max();

/// One node with two blocks of eight positions; each test changes one of its parts.
struct BlockMask {
  int64_t heads = 2, block = 8;
  Tensor rows = Tensor::of<int32_t>({1, 3}, {0, 1, 2});
  Tensor columns = Tensor::of<int32_t>({1, 2}, {0, 1});
  Tensor before = Tensor::of<int64_t>({6});
  Tensor query = random_tensor({1, 4, 8});
  Tensor cache = random_tensor({1, 2, 16, 4});

  Tensor run(const std::vector<int>& constants = {}) const {
    const OpCase op{"BlockMaskBias", 1, {{"num_heads", heads}, {"sparse_block_size", block}}, "linnet"};
    return run_op(op, {rows, columns, before, query, cache}, 1, constants)[0];
  }
  void refused(ErrorKind kind, const std::string& text) const {
    expect_error(kind, text, [&] { run(); });
    expect_error(kind, text, [&] { run({0, 1, 2}); });
  }
};

TEST(BlockMaskBias, RowsSeeTheBlocksOfTheirPosition) {
  const BlockMask mask;
  const Tensor y = mask.run();
  ASSERT_EQ(y.shape(), (Shape{1, 2, 4, 16}));
  for (int64_t i = 0; i < y.size(); ++i) {
    const bool seen = i % 16 / 8 == (6 + i / 16 % 4) / 8;
    EXPECT_EQ(y.data<float>()[i], seen ? 0.0f : -std::numeric_limits<float>::infinity()) << i;
  }
}

TEST(BlockMaskBias, BlocksMayReachBeyondTheCache) {
  BlockMask mask;
  mask.block = kMostPositions / 2;
  const Tensor y = mask.run();
  for (const float value : y.values<float>()) EXPECT_EQ(value, 0.0f);
}

TEST(BlockMaskBias, RefusesBlocksWhosePositionsOverflow) {
  for (const int64_t block : {kMostPositions / 2 + 1, kMostPositions / 3 * 2, kMostPositions}) {
    BlockMask mask;
    mask.block = block;
    mask.refused(ErrorKind::kLimit, "sparse_block_size");
  }
  BlockMask mask;
  mask.rows = Tensor::of<int32_t>({1, 5}, {0, 1, 1, 1, 1});
  mask.columns = Tensor::of<int32_t>({1, 1}, {3});
  mask.block = 6148914691236517200;  // 3 * block is -16 as an int64
  mask.refused(ErrorKind::kLimit, "sparse_block_size");
}

TEST(BlockMaskBias, RefusesAttributesThatAreNotPositive) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    BlockMask block, heads;
    block.block = value;
    block.refused(ErrorKind::kModel, "sparse_block_size must be positive");
    heads.heads = value;
    heads.refused(ErrorKind::kModel, "num_heads must be positive");
  }
}

TEST(BlockMaskBias, RefusesPositionsThatAreNotInTheCache) {
  for (const int64_t position : {int64_t{-1}, int64_t{17}, kMostPositions, std::numeric_limits<int64_t>::min()}) {
    BlockMask mask;
    mask.before = Tensor::of<int64_t>({position});
    mask.refused(ErrorKind::kShape, "before must be in [0,16]");
  }
}

TEST(BlockMaskBias, RefusesOtherRanksAndBatches) {
  BlockMask query, cache, before, batch, rows;
  query.query = random_tensor({});
  query.refused(ErrorKind::kShape, "query must have rank 3");
  cache.cache = random_tensor({16});
  cache.refused(ErrorKind::kShape, "cache must have rank 4");
  before.before = Tensor::scalar(int64_t{6});
  before.refused(ErrorKind::kShape, "before must have rank 1");
  batch.before = Tensor::of<int64_t>({});
  batch.refused(ErrorKind::kShape, "the batch");
  rows.rows = Tensor::of<int32_t>({0, 3}, {});
  rows.columns = Tensor::of<int32_t>({0, 2}, {});
  rows.refused(ErrorKind::kShape, "num_heads must be a multiple");
}

}  // namespace
}  // namespace linnet::testing
