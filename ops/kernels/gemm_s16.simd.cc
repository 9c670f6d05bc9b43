#include <cstring>

#include "kernels/gemm_strip.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The two products of a pair are summed up in the lane of their column.
struct TileS16 {
  using Type = GemmS16;
  using Vector = I32;
  static constexpr int kLanes = int(I32::size);
  static constexpr int kWidest = 2;  // multiplying takes so much longer than loading that this suffices
  static constexpr bool kHalves = false;
  static constexpr bool kAdds = false;
  static constexpr bool kActivates = false;

  static I32 zero() { return I32(0); }
  static I32 load(const int32_t* x) { return I32::load_unaligned(x); }
  static void store(int32_t* y, I32 v) { v.store_unaligned(y); }
  static uint32_t pair(const int16_t* a) {
    uint32_t bits;
    std::memcpy(&bits, a, sizeof bits);
    return bits;
  }

#if defined(__aarch64__)
  using Factor = int16x8_t;  // the first values of all columns, then the second ones
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
#endif

#if defined(__AVX512F__)
  static I32 multiply_add(I32 x, I32 y, I32 z) { return _mm512_add_epi32(z, _mm512_madd_epi16(x, y)); }
  static I32 load_part(const int32_t* x, int64_t n) { return _mm512_maskz_loadu_epi32(first_lanes(n), x); }
  static void store_part(int32_t* y, I32 v, int64_t n) { _mm512_mask_storeu_epi32(y, first_lanes(n), v); }
#elif defined(__AVX2__)
  static I32 multiply_add(I32 x, I32 y, I32 z) { return _mm256_add_epi32(z, _mm256_madd_epi16(x, y)); }
  static I32 load_part(const int32_t* x, int64_t n) { return _mm256_maskload_epi32(x, first_lanes(n)); }
  static void store_part(int32_t* y, I32 v, int64_t n) { _mm256_maskstore_epi32(y, first_lanes(n), v); }
#else
#if defined(__SSE2__)
  static I32 multiply_add(I32 x, I32 y, I32 z) { return _mm_add_epi32(z, _mm_madd_epi16(x, y)); }
#endif
  [[gnu::noinline]] static I32 load_part(const int32_t* x, int64_t n) {
    int32_t buffer[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) buffer[i] = x[i];
    return load(buffer);
  }
  [[gnu::noinline]] static void store_part(int32_t* y, I32 v, int64_t n) {
    int32_t buffer[kLanes];
    store(buffer, v);
    for (int64_t i = 0; i < n; ++i) y[i] = buffer[i];
  }
#endif
};

}  // namespace

void fill(GemmKernels<GemmS16>& kernels);

void fill(GemmKernels<GemmS16>& kernels) { fill_gemm<TileS16>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
