#pragma once

// Included by *.simd.cc only: the sizes of the tile registers of Intel AMX.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
#include <cstdint>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The operand of LDTILECFG. Both numbers of an unused register are zero.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

/// The most rows of a register, and the most bytes of each row.
constexpr int kTileRows = 16, kTileBytes = 64;

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
