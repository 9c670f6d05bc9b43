#pragma once

// Included by gemm_u8.*.simd.cc only: products of bytes by instructions that add four of them.
#include "kernels/dot_u8.h"
#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileFours : TileU8 {
  static I32 spread(const uint8_t* a) { return shift_bytes(TileU8::spread(a)); }
  static I32 multiply_add(I32 x, I32 y, I32 z) { return add_fours(z, x, y); }
};

}  // namespace

void fill(GemmKernels<GemmU8>& kernels);

void fill(GemmKernels<GemmU8>& kernels) {
  fill_gemm<TileFours>(kernels);
  kernels.a_shift = kDotShift;
}

}  // namespace linnet::LINNET_SIMD_NS
