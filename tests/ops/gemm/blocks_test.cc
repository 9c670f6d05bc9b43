#include "gemm/blocks.h"

#include <gtest/gtest.h>

#include <array>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class GemmDivision : public ::testing::TestWithParam<Isa> {
 protected:
  const TileFamily& floats() const { return kernels_for<GemmKernels<GemmF32>>(GetParam()); }
  const TileFamily& integers() const { return kernels_for<GemmKernels<GemmS16>>(GetParam()); }
};

TEST_P(GemmDivision, SixteenMillionMultiplicationsAreWorkForEightWorkers) {
  for (const auto& [rows, columns, taps, depth] : {std::array<int64_t, 4>{1, 4096, 1, 4096},
                                                   {16, 1024, 1, 1024},
                                                   {64, 1024, 1, 256},
                                                   {96, 512, 9, 64},
                                                   {300, 256, 1, 256},
                                                   {20000, 32, 1, 32}}) {
    for (const TileFamily* tiles : {&floats(), &integers()}) {
      const GemmBlocks blocks(*tiles, {.rows = rows, .columns = columns, .taps = taps, .depth = depth, .workers = 8});
      EXPECT_GE(blocks.chunks(), 8) << rows << " rows, " << columns << " columns";
    }
  }
}

TEST_P(GemmDivision, AVectorByAMatrixIsTheSameWorkForEachWorker) {
  for (const int64_t workers : {2, 4}) {
    const GemmBlocks blocks(floats(), {.rows = 1, .columns = 512, .depth = 512, .workers = int(workers)});
    EXPECT_GT(blocks.chunks(), 1);
    EXPECT_EQ(blocks.chunks() % workers, 0) << blocks.chunks();
  }
}

/// Sums stay in the first-level cache until they are stored. They take at most half of 32 KB.
TEST_P(GemmDivision, AStripOfFewSumsOfIntegersIsMultipliedAtOnce) {
  const int lanes = integers().lanes;
  for (const int64_t rows : {1, 3, 12}) {
    for (const int64_t columns : {5 * lanes, 20 * lanes, 200 * lanes}) {
      const GemmBlocks blocks(integers(), {.rows = rows, .columns = columns, .depth = 64});
      if (blocks.strips() > 1 || rows * columns > 4096) continue;
      EXPECT_EQ(blocks.groups(blocks.panels_of(0)), 1) << rows << " rows, " << columns << " columns";
    }
  }
}

/// Cores have two multiply-add units. The tiles are those for 32 registers.
TEST(GemmPanels, NoTileIsTakenToMultiplyMoreThanTwoVectorsPerCycle) {
  const TileFamily tiles{.lanes = 16,
                         .tile_rows = {24, 12, 8, 6},
                         .strip_rows = 24,
                         .unroll = {1, 1, 1, 1},
                         .held_rows = 24,
                         .unit = 1,
                         .value_bytes = 4,
                         .vector_bytes = 64,
                         .exact = false};
  for (int width = 1; width <= kWidestPanel; ++width) {
    for (int rows = 1; rows <= tiles.tile_rows[width - 1]; ++rows) {
      for (const int64_t steps : {1, 64, 1000}) {
        EXPECT_GE(tile_cycles(tiles, rows, width, steps, Machine()), double(steps * rows * width) / 2)
            << rows << "x" << width;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, GemmDivision, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet::testing
