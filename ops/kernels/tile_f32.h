#pragma once

// Included by *.simd.cc only: how tiles of float32 products load, multiply and store.
#include "kernels/gemm_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileF32 {
  using Type = GemmF32;
  using Vector = F32;
  using Factor = F32;
  static constexpr int kLanes = int(F32::size);
  static constexpr int kWidest = kWidestPanel;
  static constexpr bool kHalves = linnet::LINNET_SIMD_NS::kHalves;
  static constexpr bool kActivates = true;
  static constexpr bool kStoresBytes = false;

  static F32 zero() { return F32(0.0f); }
  static F32 load_b(const float* b, int v) { return F32::load_unaligned(b + v * kLanes); }
  static F32 spread(const float* a) { return F32(*a); }
  static F32 multiply_add(F32 x, F32 y, F32 z) { return xsimd::fma(x, y, z); }
  static F32 multiply_add_half(F32 x, F32 y, F32 z) { return fma_half(x, y, z); }
  static F32 load(const float* x) { return F32::load_unaligned(x); }
  static F32 load_part(const float* x, int64_t n) { return LINNET_SIMD_NS::load_part(x, n); }
  static void store(float* y, F32 v) { v.store_unaligned(y); }
  static void store_part(float* y, F32 v, int64_t n) { LINNET_SIMD_NS::store_part(y, v, n); }
};

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
