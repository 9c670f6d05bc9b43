#include "kernels/tile_u8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileVnni : TileU8 {
  // GCC 12 moves the sums between registers around the intrinsic.
  static I32 multiply_add(I32 x, I32 y, I32 z) {
#if defined(__AVX512F__)
    asm("vpdpbusd %2, %1, %0" : "+v"(z.data) : "v"(x.data), "v"(y.data));
#else
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(z.data) : "x"(x.data), "x"(y.data));
#endif
    return z;
  }
};

}  // namespace

void fill(GemmKernels<GemmU8>& kernels);

void fill(GemmKernels<GemmU8>& kernels) { fill_gemm<TileVnni>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
