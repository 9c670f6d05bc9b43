#include <cstring>

#include "kernels/tile_s32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The two products of a pair are added in the lane of their column.
struct TileS16 : TileS32<GemmS16> {
  static constexpr int kWidest = 3;

  static uint32_t pair(const int16_t* a) {
    uint32_t bits;
    std::memcpy(&bits, a, sizeof bits);
    return bits;
  }

#if defined(__aarch64__)
  using Factor = int16x8_t;  // the first values of all columns, then the second values
  static Factor load_b(const int16_t* b, int v) {
    const int16x4x2_t columns = vld2_s16(b + v * 2 * kLanes);
    return vcombine_s16(columns.val[0], columns.val[1]);
  }
  static int16x4_t spread(const int16_t* a) { return vcreate_s16(pair(a)); }
  static I32 multiply_add(int16x4_t x, Factor y, I32 z) {
    return vmlal_high_lane_s16(vmlal_lane_s16(z, vget_low_s16(y), x, 0), y, x, 1);
  }
#else
  using Factor = I32;
  static I32 load_b(const int16_t* b, int v) {
    return I32::load_unaligned(reinterpret_cast<const int32_t*>(b + v * 2 * kLanes));
  }
  static I32 spread(const int16_t* a) { return I32(int32_t(pair(a))); }
  static I32 multiply_add(I32 x, I32 y, I32 z) { return multiply_add_pairs(x, y, z); }
#endif
};

}  // namespace

void fill(GemmKernels<GemmS16>& kernels);

void fill(GemmKernels<GemmS16>& kernels) { fill_gemm<TileS16>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
