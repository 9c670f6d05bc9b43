#pragma once

// Included by *.simd.cc only: how tiles of integer products with 32-bit sums load and store them.
#include "kernels/byte_vectors.h"
#include "kernels/gemm_strip.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class Type_>
struct TileS32 {
  using Type = Type_;
  using Vector = I32;
  static constexpr int kLanes = int(I32::size);
  static constexpr bool kHalves = false;
  static constexpr bool kActivates = false;
  static constexpr bool kStoresBytes = false;

  static I32 zero() { return I32(0); }
  static I32 load(const int32_t* x) { return I32::load_unaligned(x); }
  static void store(int32_t* y, I32 v) { v.store_unaligned(y); }

  static I32 load_part(const int32_t* x, int64_t n) { return LINNET_SIMD_NS::load_part(x, n); }
  static void store_part(int32_t* y, I32 v, int64_t n) { LINNET_SIMD_NS::store_part(y, v, n); }
};

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
