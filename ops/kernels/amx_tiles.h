#pragma once

// Included by *.amx_*.simd.cc only: the tile registers. Inline assembly takes the place of intrinsics, for which GCC
// does not accept template constants as register numbers.
#include "kernels/tile_config.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct AmxTiles {
  /// Sizes and contents belong to the thread and persist until release().
  static void configure(const TileConfig& config) { asm volatile("ldtilecfg %0" : : "m"(config)); }
  static void release() { asm volatile("tilerelease"); }

  template <int T>
  [[gnu::always_inline]] static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(T));
  }
  /// Loads rows at a distance of `stride` bytes.
  template <int T>
  [[gnu::always_inline]] static void load(const void* from, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(T) : "memory");
  }
  template <int T>
  [[gnu::always_inline]] static void store(void* to, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(T) : "memory");
  }
};

/// multiply_add() adds A * B to register Y, for groups of four bytes. Those of A are unsigned.
struct AmxBytes : AmxTiles {
  template <int Y, int A, int B>
  [[gnu::always_inline]] static void multiply_add() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Y), "i"(A), "i"(B));
  }
};

/// The same for pairs of bfloat16, summed in float32.
struct AmxPairs : AmxTiles {
  template <int Y, int A, int B>
  [[gnu::always_inline]] static void multiply_add() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Y), "i"(A), "i"(B));
  }
};
}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
