#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gemm/blocks.h"
#include "gemm/weights.h"
#include "ops/gemm/recorded_machines.h"

namespace linnet::testing {
namespace {

struct ChosenTiles {
  GemmSizes sizes;
  std::array<std::string, kRecordedMachines> tiles;  ///< for each recorded machine
};

/// Products of ResNet-50, ViT-B, BERT and decoders.
std::vector<ChosenTiles> chosen_tiles() {
  return {
      {{.rows = 3136, .columns = 64, .taps = 1, .depth = 64},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "6x64", "6x64", "6x16"}},
      {{.rows = 3136, .columns = 64, .taps = 9, .depth = 64},
       {"4x24+6x16", "6x64", "6x64", "6x16", "12x32", "12x32", "6x16"}},
      {{.rows = 3136, .columns = 256, .taps = 1, .depth = 64},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "6x64", "6x64", "6x16"}},
      {{.rows = 3136, .columns = 128, .taps = 1, .depth = 256},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "12x32", "12x32", "6x16"}},
      {{.rows = 784, .columns = 512, .taps = 1, .depth = 128},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "6x64", "6x64", "6x16"}},
      {{.rows = 784, .columns = 128, .taps = 9, .depth = 128},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "12x32", "12x32", "8x12+12x8"}},
      {{.rows = 196, .columns = 256, .taps = 1, .depth = 1024},
       {"4x24+6x16", "6x64", "6x64", "4x24+6x16", "12x32", "12x32", "8x12+8x8"}},
      {{.rows = 49, .columns = 2048, .taps = 1, .depth = 512},
       {"4x24+4x16", "6x64", "6x64", "6x16", "10x32", "10x32", "6x16"}},
      {{.rows = 197, .columns = 768, .taps = 1, .depth = 768},
       {"4x24", "6x64", "6x64", "4x24", "11x32", "11x32", "6x16"}},
      {{.rows = 197, .columns = 3072, .taps = 1, .depth = 768},
       {"4x24", "6x64", "6x64", "4x24", "11x32", "11x32", "6x16"}},
      {{.rows = 197, .columns = 768, .taps = 1, .depth = 3072},
       {"4x24", "6x64", "6x64", "4x24", "12x32", "12x32", "8x12"}},
      {{.rows = 128, .columns = 3072, .taps = 1, .depth = 768},
       {"4x24", "6x64", "6x64", "4x24", "11x32", "11x32", "6x16"}},
      {{.rows = 16, .columns = 3072, .taps = 1, .depth = 768},
       {"4x24", "6x64", "6x64", "4x24", "8x32", "8x32", "6x16"}},
      {{.rows = 1, .columns = 1000, .taps = 1, .depth = 2048},
       {"1x24+1x16", "1x64+1x48", "1x64+1x48", "1x24+1x16", "1x48+1x32", "1x48+1x32", "1x12+1x8"}},
      {{.rows = 1, .columns = 4096, .taps = 1, .depth = 4096},
       {"1x24+1x16", "1x32", "1x32", "1x24+1x16", "1x32", "1x32", "1x12+1x8"}},
  };
}

/// Two registers of columns and two of rows take part in four products, which is as long as a sum waits for the one
/// before it.
TEST(ChosenTiles, FillTwoByTwoTileRegistersOrAsManyAsThereAre) {
  const Machine machine = kRecorded[kSapphireRapids].machine();
  for (const auto& [rows, columns, depth, want] :
       {std::tuple{3136, 64, 576, "32x32"}, std::tuple{196, 256, 2304, "28x32"}, std::tuple{49, 512, 4608, "25x32"},
        std::tuple{197, 768, 768, "29x32"}, std::tuple{16, 768, 768, "16x32"}, std::tuple{1, 1000, 512, "1x32+1x16"},
        std::tuple{3136, 16, 96, "32x16"}, std::tuple{784, 48, 64, "32x32+32x16"}}) {
    const GemmBlocks blocks(kTileRegisters, {.rows = rows, .columns = columns, .depth = depth}, machine);
    EXPECT_EQ(blocks.describe(), want) << rows << " x " << columns << " x " << depth;
  }
}

/// Where a machine has both, loading and storing registers pays for long sums of several rows.
TEST(ChosenTiles, AreTileRegistersForLongSumsOfSeveralRows) {
  const Machine machine = kRecorded[kSapphireRapids].machine();
  for (const auto& [sizes, registers] :
       {std::pair{GemmSizes{.rows = 12544, .columns = 96, .depth = 16}, false},
        std::pair{GemmSizes{.rows = 3136, .columns = 144, .depth = 24}, false},
        std::pair{GemmSizes{.rows = 784, .columns = 128, .depth = 32}, false},
        std::pair{GemmSizes{.rows = 196, .columns = 384, .depth = 64}, true},
        std::pair{GemmSizes{.rows = 3136, .columns = 64, .taps = 9, .depth = 64}, true},
        std::pair{GemmSizes{.rows = 8, .columns = 768, .depth = 768}, true}}) {
    const double in_registers = GemmBlocks(kTileRegisters, sizes, machine).cycles(machine);
    const double in_vectors = GemmBlocks(kByteTiles, sizes, machine).cycles(machine);
    EXPECT_EQ(in_registers < in_vectors, registers) << sizes.rows << " x " << sizes.columns << " x " << sizes.depth;
  }
}

/// Block depths decide how a sum is rounded.
void expect_blocks(const GemmBlocks& got, const GemmBlocks& want) {
  ASSERT_EQ(got.blocks(), want.blocks());
  for (int64_t i = 0; i < got.blocks(); ++i) {
    EXPECT_EQ(got.block(i).tap, want.block(i).tap);
    EXPECT_EQ(got.block(i).taps, want.block(i).taps);
    EXPECT_EQ(got.block(i).k, want.block(i).k);
    EXPECT_EQ(got.block(i).depth, want.block(i).depth);
  }
}

TEST(ChosenTiles, AreThoseThatAreFastestOnEachMachine) {
  for (const ChosenTiles& product : chosen_tiles()) {
    for (size_t i = 0; i < kRecorded.size(); ++i) {
      const GemmBlocks blocks(*kRecorded[i].tiles, product.sizes, kRecorded[i].machine());
      EXPECT_EQ(blocks.describe(), product.tiles[i]) << kRecorded[i].name << ", " << product.sizes.rows << " x "
                                                     << product.sizes.columns << " x " << product.sizes.depth;
    }
  }
}

TEST(ChosenTiles, DoNotChangeTheBlocksOfASum) {
  for (const ChosenTiles& product : chosen_tiles()) {
    const GemmBlocks first(*kRecorded[0].tiles, product.sizes, kRecorded[0].machine());
    for (const RecordedMachine& machine : kRecorded) {
      expect_blocks(GemmBlocks(*machine.tiles, product.sizes, machine.machine()), first);
    }
  }
}

/// Packed weights are cached by their form. A cache that another machine wrote has them under another form or is right.
TEST(ChosenTiles, HaveOneFormOfPackedWeightsForEachDivisionIntoPanels) {
  for (const ChosenTiles& product : chosen_tiles()) {
    for (const RecordedMachine& one : kRecorded) {
      for (const RecordedMachine& other : kRecorded) {
        const GemmPanels a = GemmBlocks(*one.tiles, product.sizes, one.machine()).panels();
        const GemmPanels b = GemmBlocks(*other.tiles, product.sizes, other.machine()).panels();
        bool same = a.lanes == b.lanes && a.count() == b.count();
        for (int64_t i = 0; same && i < a.count(); ++i) same = a.first_column(i) == b.first_column(i);
        EXPECT_EQ(packed_form("B", a) == packed_form("B", b), same) << one.name << ", " << other.name;
      }
    }
  }
}

/// A strip of few rows reads B once, in groups of panels, so that the next group is prefetched meanwhile.
TEST(ChosenTiles, DivideThePanelsOfASingleStripIntoGroupsUnlessTheCacheMayHoldB) {
  for (const RecordedMachine& machine : kRecorded) {
    for (const int64_t rows : {1, 4, 12}) {
      const GemmBlocks blocks(*machine.tiles, {.rows = rows, .columns = 3072, .depth = 768}, machine.machine());
      if (blocks.strips() > 1) continue;
      EXPECT_GT(blocks.groups(blocks.panels_of(0)), 4) << machine.name << ", " << rows << " rows";
      const GemmBlocks small(*machine.tiles, {.rows = rows, .columns = 96, .depth = 768}, machine.machine());
      EXPECT_EQ(small.groups(small.panels_of(0)), 1) << machine.name << ", " << rows << " rows";
    }
  }
}

}  // namespace
}  // namespace linnet::testing
