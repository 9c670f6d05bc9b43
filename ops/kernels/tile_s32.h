#pragma once

// Included by *.simd.cc only: how tiles of integer products, whose sums have 32 bits, load and store them.
#include "kernels/gemm_strip.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class Type_>
struct TileS32 {
  using Type = Type_;
  using Vector = I32;
  static constexpr int kLanes = int(I32::size);
  static constexpr bool kHalves = false;
  static constexpr bool kAdds = true;
  static constexpr bool kActivates = false;

  static I32 zero() { return I32(0); }
  static I32 load(const int32_t* x) { return I32::load_unaligned(x); }
  static void store(int32_t* y, I32 v) { v.store_unaligned(y); }

#if defined(__AVX512F__)
  static I32 load_part(const int32_t* x, int64_t n) { return _mm512_maskz_loadu_epi32(first_lanes(n), x); }
  static void store_part(int32_t* y, I32 v, int64_t n) { _mm512_mask_storeu_epi32(y, first_lanes(n), v); }
#elif defined(__AVX2__)
  static I32 load_part(const int32_t* x, int64_t n) { return _mm256_maskload_epi32(x, first_lanes(n)); }
  static void store_part(int32_t* y, I32 v, int64_t n) { _mm256_maskstore_epi32(y, first_lanes(n), v); }
#else
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
}  // namespace linnet::LINNET_SIMD_NS
