#pragma once

// Included by *.simd.cc only: how tiles of byte products load. The lane of a column adds up four products.
#include <cstring>

#include "kernels/store_bytes.h"
#include "kernels/tile_s32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileU8 : TileS32<GemmU8> {
  using Factor = I32;
  static constexpr int kWidest = kRegisters == 32 ? kWidestPanel : 2;
#if defined(__AVX512F__)
  static constexpr bool kStoresBytes = true;
#endif

  template <int MR, int NV>
  [[gnu::always_inline]] static void store_bytes(const TileJob<GemmU8>& job, const I32 (&sum)[MR][NV]) {
    LINNET_SIMD_NS::store_bytes(job, sum);
  }

  static I32 load_b(const int8_t* b, int v) {
    return I32::load_unaligned(reinterpret_cast<const int32_t*>(b + v * 4 * kLanes));
  }
  static I32 spread(const uint8_t* a) {
    int32_t four;
    std::memcpy(&four, a, sizeof four);
    return I32(four);
  }
};

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
