#include "ops/kernels/emulated_amx.h"

#include "kernels/gemm_amx.h"
#include "kernels/tile_f32.h"
#include "kernels/tile_u8.h"
#include "ops/kernels/emulated_tiles.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TilePairs : TileF32 {
  using Type = GemmBFloat16Pairs;
};

/// Vectors of 16 columns for any base set.
template <class Type_>
struct WideTile {
  using Type = Type_;
  using Sum = typename Type::Sum;
  struct Vector {
    Sum lanes[16];
    friend Vector operator+(const Vector& x, const Vector& y) {
      Vector sum;
      for (int i = 0; i < 16; ++i) sum.lanes[i] = add(x.lanes[i], y.lanes[i]);
      return sum;
    }
  };
  static constexpr int kLanes = 16;
  static constexpr bool kAdds = true;
  static constexpr bool kActivates = false;

  static int32_t add(int32_t x, int32_t y) { return int32_t(uint32_t(x) + uint32_t(y)); }
  static float add(float x, float y) { return x + y; }
  static Vector zero() { return {}; }
  static Vector load(const Sum* x) { return load_part(x, kLanes); }
  static void store(Sum* y, const Vector& v) { store_part(y, v, kLanes); }
  static Vector load_part(const Sum* x, int64_t n) {
    Vector v{};
    std::memcpy(v.lanes, x, size_t(n) * sizeof(Sum));
    return v;
  }
  static void store_part(Sum* y, const Vector& v, int64_t n) { std::memcpy(y, v.lanes, size_t(n) * sizeof(Sum)); }
};

const char* fault() {
  const char* found = tile_state.configured ? "registers that were not released" : tile_state.fault;
  tile_state.fault = nullptr;
  return found;
}

int64_t multiply_adds() {
  const int64_t count = tile_state.multiply_adds;
  tile_state.multiply_adds = 0;
  return count;
}

}  // namespace

void fill(EmulatedAmxKernels& kernels);

void fill(EmulatedAmxKernels& kernels) {
  fill_amx<TileU8, EmulatedBytes>(kernels.bytes);
  fill_amx<WideTile<GemmU8>, EmulatedBytes>(kernels.wide_bytes);
  fill_amx<TilePairs, EmulatedPairs>(kernels.pairs);
  fill_amx<WideTile<GemmBFloat16Pairs>, EmulatedPairs>(kernels.wide_pairs);
  kernels.fault = fault;
  kernels.multiply_adds = multiply_adds;
}

}  // namespace linnet::LINNET_SIMD_NS
