#pragma once

#include <array>
#include <string_view>

#include "gemm/machine.h"
#include "kernels/gemm.h"

namespace linnet::testing {

/// The tiles of float32 products with 32 registers of 512 bits, 16 of 256 bits and 32 of 128 bits.
inline constexpr TileFamily kAvx512Tiles{.lanes = 16,
                                         .tile_rows = {12, 12, 8, 6},
                                         .strip_rows = 24,
                                         .unroll = {4, 2, 2, 1},
                                         .held_rows = 9,
                                         .unit = 1,
                                         .value_bytes = 4,
                                         .vector_bytes = 64,
                                         .exact = false};
inline constexpr TileFamily kAvx2Tiles{.lanes = 8,
                                       .tile_rows = {12, 6, 4, 0},
                                       .strip_rows = 24,
                                       .unroll = {2, 1, 1, 1},
                                       .held_rows = 9,
                                       .unit = 1,
                                       .value_bytes = 4,
                                       .vector_bytes = 32,
                                       .exact = false};
inline constexpr TileFamily kNeonTiles{.lanes = 4,
                                       .tile_rows = {12, 12, 8, 6},
                                       .strip_rows = 24,
                                       .unroll = {4, 2, 2, 1},
                                       .held_rows = 12,
                                       .unit = 1,
                                       .value_bytes = 4,
                                       .vector_bytes = 16,
                                       .exact = false};

/// The same tiles for products of bytes.
inline constexpr TileFamily of_bytes(TileFamily tiles) {
  tiles.unit = 4;
  tiles.value_bytes = 1;
  tiles.exact = true;
  return tiles;
}
inline constexpr TileFamily kByteTiles = of_bytes(kAvx512Tiles);

/// The tiles of products of bytes in the tile registers of Intel AMX.
inline constexpr TileFamily kTileRegisters{.lanes = 16,
                                           .tile_rows = {32, 32, 0, 0},
                                           .strip_rows = 32,
                                           .unroll = {1, 1, 1, 1},
                                           .held_rows = 32,
                                           .unit = 4,
                                           .value_bytes = 1,
                                           .vector_bytes = 64,
                                           .exact = true,
                                           .slice_steps = 16};

/// A processor with the caches that it reports, and the tiles that it runs.
struct RecordedMachine {
  std::string_view name;
  Processor processor;
  Machine caches;
  const TileFamily* tiles;

  Machine machine() const { return machine_of(processor, caches); }
};

inline constexpr Machine recorded_caches(int64_t l1_kb, int ways, int64_t l2_kb) {
  return {.l1_bytes = l1_kb << 10, .l1_ways = ways, .l2_bytes = l2_kb << 10, .last_cache_bytes = l2_kb << 13};
}

enum RecordedNumber { kZen3, kZen4, kZen5, kZen5Avx2, kIceLake, kSapphireRapids, kNeoverseV1, kRecordedMachines };

inline constexpr std::array<RecordedMachine, kRecordedMachines> kRecorded{{
    {"Zen 3, AVX2", {Processor::kAmd, 0x19, 0x01}, recorded_caches(32, 8, 512), &kAvx2Tiles},
    {"Zen 4", {Processor::kAmd, 0x19, 0x11}, recorded_caches(32, 8, 1024), &kAvx512Tiles},
    {"Zen 5", {Processor::kAmd, 0x1a, 0x02}, recorded_caches(48, 12, 1024), &kAvx512Tiles},
    {"Zen 5, AVX2", {Processor::kAmd, 0x1a, 0x02}, recorded_caches(48, 12, 1024), &kAvx2Tiles},
    {"Ice Lake server", {Processor::kIntel, 6, 0x6a}, recorded_caches(48, 12, 1280), &kAvx512Tiles},
    {"Sapphire Rapids", {Processor::kIntel, 6, 0x8f}, recorded_caches(48, 12, 2048), &kAvx512Tiles},
    {"Neoverse V1", {Processor::kArm, 0, 0xd40}, recorded_caches(64, 4, 1024), &kNeonTiles},
}};

}  // namespace linnet::testing
