#pragma once

// Included by *.simd.cc only: blocks of float32 values as float64, in as many lanes on every instruction set.
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

inline constexpr int kWideBlock = 8;
inline constexpr int kWideLanes = int(F64::size), kWideParts = kWideBlock / kWideLanes;

typedef double WideDoubles __attribute__((vector_size(kWideLanes * sizeof(double))));
typedef float WideFloats __attribute__((vector_size(kWideLanes * sizeof(float))));
typedef int32_t WideMask __attribute__((vector_size(kWideLanes * sizeof(int32_t))));

/// From element n on, the mask of the last n values of a block.
inline constexpr int32_t kLastValues[2 * kWideBlock] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

/// Returns kWideLanes values, or zero where the mask is 0.
[[gnu::always_inline]] inline F64 widened(const float* x, const int32_t* mask = nullptr) {
  WideFloats floats;
  __builtin_memcpy(&floats, x, sizeof floats);
  if (mask) {
    WideMask bits;
    __builtin_memcpy(&bits, mask, sizeof bits);
    floats = (WideFloats)((WideMask)floats & bits);
  }
#if defined(__AVX512F__)
  return _mm512_cvtps_pd((__m256)floats);  // Compilers convert halves.
#else
  const WideDoubles doubles = __builtin_convertvector(floats, WideDoubles);
  return F64((typename F64::register_type)doubles);
#endif
}

[[gnu::always_inline]] inline void store_narrowed(F64 v, float* y) {
#if defined(__AVX512F__)
  const auto floats = (WideFloats)_mm512_cvtpd_ps(v);
#else
  const WideFloats floats = __builtin_convertvector((WideDoubles)(typename F64::register_type)v, WideFloats);
#endif
  __builtin_memcpy(y, &floats, sizeof floats);
}

/// Joins the lanes of a block by join(a, b), of doubles or of compiler vectors of them, in a fixed order: halves are
/// joined until one value is left.
template <class Join>
[[gnu::always_inline]] inline double joined_lanes(const F64 (&parts)[kWideParts], Join join) {
  WideDoubles v[kWideParts];
  LINNET_UNROLL for (int p = 0; p < kWideParts; ++p) { v[p] = (WideDoubles)(typename F64::register_type)parts[p]; }
  LINNET_UNROLL for (int width = kWideParts / 2; width > 0; width /= 2) {
    LINNET_UNROLL for (int p = 0; p < width; ++p) v[p] = join(v[p], v[p + width]);
  }
  return join_elements<kWideLanes>(v[0], join);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
