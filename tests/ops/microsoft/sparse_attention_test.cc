#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/run_expanded.h"

namespace linnet::testing::sparse_attention {
namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kSize = 8, kBlock = 16, kBlocks = 4, kCapacity = kBlock * kBlocks;

/// The blocks that each block of queries attends to in two layouts: diagonals, and parts of the blocks before.
constexpr bool kMask[2][kBlocks][kBlocks] = {{{true}, {true, true}, {false, true, true}, {false, true, true, true}},
                                             {{true}, {true, true}, {true, true, true}, {true, false, true, true}}};
// The same in compressed rows; the first layout has one block less.
const Tensor kRows = Tensor::of<int32_t>({2, kBlocks + 1}, {0, 1, 3, 5, 8, 0, 1, 3, 6, 9});
const Tensor kColumns = Tensor::of<int32_t>({2, 9}, {0, 0, 1, 1, 2, 1, 2, 3, -1, 0, 0, 1, 0, 1, 2, 0, 2, 3});

struct Case {
  int64_t length;
  std::vector<int32_t> tokens;  ///< The tokens of each sample, including the new ones.
  bool rotates = false, packed = false;
};

class SparseAttention : public ::testing::TestWithParam<Case> {
 protected:
  int64_t batch() const { return std::ssize(GetParam().tokens); }
  int32_t most() const { return *std::ranges::max_element(GetParam().tokens); }
  int64_t position(int64_t b, int64_t i) const {
    return std::max<int64_t>(0, GetParam().tokens[size_t(b)] - GetParam().length) + i;
  }

  Attributes attributes() const {
    return {{"num_heads", kHeads}, {"kv_num_heads", kKvHeads}, {"do_rotary", int64_t{GetParam().rotates}}};
  }
  /// Returns query to past_value.
  std::vector<Tensor> values() const {
    const auto rows = [&](int64_t heads, unsigned seed) {
      return random_tensor({batch(), GetParam().length, heads * kSize}, seed);
    };
    const Shape cache{batch(), kKvHeads, kCapacity, kSize};
    std::vector<Tensor> all{rows(kHeads, 1), rows(kKvHeads, 2), rows(kKvHeads, 3)};
    if (GetParam().packed) all = {rows(kHeads + 2 * kKvHeads, 1), Tensor(), Tensor()};
    all.push_back(random_tensor(cache, 4));
    all.push_back(random_tensor(cache, 5));
    return all;
  }
  Tensor tokens(int32_t less) const {
    std::vector<int32_t> counts = GetParam().tokens;
    for (int32_t& count : counts) count -= less;
    return Tensor::of<int32_t>({batch()}, counts);
  }
  Tensor table(unsigned seed) const { return random_tensor({kCapacity, kSize / 2}, seed); }

  /// Returns -inf for keys that the mask hides.
  Tensor bias() const {
    Tensor bias(DType::kFloat32, {batch(), kHeads, GetParam().length, most()});
    float* to = bias.data<float>();
    for (int64_t b = 0; b < batch(); ++b) {
      for (int64_t h = 0; h < kHeads; ++h) {
        for (int64_t i = 0; i < GetParam().length; ++i) {
          const int64_t row = std::min(position(b, i) / kBlock, kBlocks - 1);
          for (int64_t j = 0; j < most(); ++j) {
            *to++ = kMask[h % 2][row][j / kBlock] ? 0.0f : -std::numeric_limits<float>::infinity();
          }
        }
      }
    }
    return bias;
  }
};

TEST_P(SparseAttention, IsAttentionUnderTheDenseMask) {
  std::vector<Tensor> inputs = values();
  Attributes sparse = attributes();
  sparse["sparse_block_size"] = kBlock;
  const Tensor total = Tensor::scalar(most());
  for (const Tensor& more : {kRows, kColumns, total, tokens(0), table(6), table(7)}) inputs.push_back(more);
  const std::vector<Tensor> got = run_expanded("SparseAttention", sparse, inputs, 3);
  std::vector<Tensor> dense = values();
  for (const Tensor& more : {tokens(1), total, table(6), table(7), Tensor(), bias()}) dense.push_back(more);
  const std::vector<Tensor> want = run_op({"GroupQueryAttention", 1, attributes(), "com.microsoft"}, dense, 3);
  expect_close(got[1], want[1]);
  expect_close(got[2], want[2]);
  // Rows after the tokens are padding.
  for (int64_t b = 0; b < batch(); ++b) {
    const int64_t rows = std::min<int64_t>(GetParam().length, GetParam().tokens[size_t(b)]);
    const int64_t first = b * GetParam().length * kHeads * kSize;
    for (int64_t i = 0; i < rows * kHeads * kSize; ++i) {
      ASSERT_NEAR(got[0].data<float>()[first + i], want[0].data<float>()[first + i], 1e-5) << b << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SparseAttention,
                         ::testing::Values(Case{40, {40, 40}}, Case{40, {40, 33}, true}, Case{64, {64}},
                                           Case{1, {21, 41}}, Case{1, {64}, true}, Case{4, {24, 52}},
                                           Case{17, {50}, true, true}),
                         [](const auto& c) {
                           std::string name = "tokens";
                           for (const int32_t count : c.param.tokens) name += "_" + std::to_string(count);
                           return name + "_of_" + std::to_string(c.param.length) + (c.param.rotates ? "_rotated" : "");
                         });

TEST(SparseAttentionOp, RefusesIndicesThatDoNotFit) {
  const auto expect_refused = [](const std::string& text, const Tensor& rows, const Tensor& columns, int64_t heads) {
    const Tensor cache = random_tensor({1, 1, kCapacity, kSize});
    const Attributes attributes{{"num_heads", heads}, {"kv_num_heads", int64_t{1}}, {"sparse_block_size", kBlock}};
    expect_error(ErrorKind::kShape, text, [&] {
      run_op({"SparseAttention", 1, attributes, "com.microsoft"},
             {random_tensor({1, 1, heads * kSize}), random_tensor({1, 1, kSize}), random_tensor({1, 1, kSize}), cache,
              cache, rows, columns, Tensor::scalar(int32_t{5}), Tensor::of<int32_t>({1}, {5})},
             3);
    });
  };
  expect_refused("num_heads", kRows, kColumns, 3);
  expect_refused("block_row_indices", Tensor::of<int32_t>({1, 1}, {0}), Tensor::of<int32_t>({1, 1}, {0}), 2);
  expect_refused("block_row_indices", Tensor::of<int32_t>({1, 3}, {0, 2, 1}), Tensor::of<int32_t>({1, 2}, {0, 0}), 2);
  expect_refused("block_row_indices", Tensor::of<int32_t>({1, 2}, {0, 3}), Tensor::of<int32_t>({1, 2}, {0, 0}), 2);
  expect_refused("block_row_indices", Tensor::of<int32_t>({1, 2}, {-1, 1}), Tensor::of<int32_t>({1, 2}, {0, 0}), 2);
  expect_refused("block_col_indices", Tensor::of<int32_t>({1, 2}, {0, 1}), Tensor::of<int32_t>({1, 1}, {7}), 2);
}

TEST(SparseAttentionOp, RefusesBlocksWhosePositionsOverflow) {
  const Tensor cache = random_tensor({1, 1, 16, 8}), row = random_tensor({1, 1, 8});
  for (const int64_t block : {int64_t{6148914691236517200}, int64_t{6148914690878603264}}) {
    expect_error(ErrorKind::kLimit, "sparse_block_size", [&] {
      run_op({"SparseAttention",
              1,
              {{"num_heads", int64_t{1}}, {"kv_num_heads", int64_t{1}}, {"sparse_block_size", block}},
              "com.microsoft"},
             {row, row, row, cache, cache, Tensor::of<int32_t>({1, 5}, {0, 1, 1, 1, 1}),
              Tensor::of<int32_t>({1, 1}, {3}), Tensor::of<int32_t>({4}), Tensor::of<int32_t>({4})},
             3);
    });
  }
}

}  // namespace
}  // namespace linnet::testing::sparse_attention
