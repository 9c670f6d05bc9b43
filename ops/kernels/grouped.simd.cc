#include "kernels/grouped.h"

#include <utility>

#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Element C of each 128-bit part, in all four lanes of that part.
template <int C>
F32 spread_four(F32 x) {
#if defined(__AVX512F__)
  return _mm512_permute_ps(x, C * 0x55);
#elif defined(__AVX__)
  return _mm256_permute_ps(x, C * 0x55);
#elif defined(__aarch64__)
  return vdupq_laneq_f32(x, C);
#else
  return _mm_shuffle_ps(x, x, C * 0x55);
#endif
}

/// Each 256-bit part's lower (Half 0) or upper 128 bits twice.
template <int Half>
F32 repeat_half(F32 x) {
#if defined(__AVX512F__)
  return _mm512_shuffle_f32x4(x, x, Half ? 0xf5 : 0xa0);
#elif defined(__AVX__)
  return _mm256_permute2f128_ps(x, x, Half * 0x11);
#else
  return x;
#endif
}
bool supports(int64_t width) { return (width == 4 || width == 8) && width <= kLanes; }

/// Four channels of one tap: x holds them in every 128-bit part, b their weights.
template <int MR>
[[gnu::always_inline]] inline void multiply_four(const F32 (&x)[MR], const float* b, F32 (&sum)[MR][1]) {
  const auto step = [&]<int C>(std::integral_constant<int, C>) __attribute__((always_inline)) {
    const F32 w = F32::load_unaligned(b + C * kLanes);
    LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][0] = xsimd::fma(spread_four<C>(x[i]), w, sum[i][0]);
  };
  step(std::integral_constant<int, 0>());
  step(std::integral_constant<int, 1>());
  step(std::integral_constant<int, 2>());
  step(std::integral_constant<int, 3>());
}

template <int MR, int Width>
void tile(const TileJob<GemmF32>& job) {
  F32 sum[MR][1];
  begin<TileF32>(job, sum);
  const float* b = job.b;
  for (int64_t t = 0; t < job.taps; ++t, b += Width * kLanes) {
    F32 x[MR], part[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) x[i] = load(job.a[t * job.a_pitch + i] + job.a_offset);
    if constexpr (Width == 4) {
      multiply_four(x, b, sum);
    } else {
      LINNET_UNROLL for (int i = 0; i < MR; ++i) part[i] = repeat_half<0>(x[i]);
      multiply_four(part, b, sum);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) part[i] = repeat_half<1>(x[i]);
      multiply_four(part, b + 4 * kLanes, sum);
    }
  }
  finish<TileF32>(job, sum);
}

// Sums and the rows of A that they are multiplied by share the registers.
constexpr int kTileRows = kRegisters == 32 ? 12 : kLanes == 8 ? 6 : 4;

using TileFunction = void (*)(const TileJob<GemmF32>&);
struct TileTable {
  TileFunction of[kTileRows];
};

template <int Width, int... I>
constexpr TileTable make_table(std::integer_sequence<int, I...>) {
  return {{tile<I + 1, Width>...}};
}

template <int Width>
constexpr TileTable kTiles = make_table<Width>(std::make_integer_sequence<int, kTileRows>());

void strip(const GemmStrip<GemmF32>& s) {
  const TileTable& table = s.depth == 4 ? kTiles<4> : kTiles<8>;
  TileJob<GemmF32> job{};
  job.taps = s.taps;
  job.a_pitch = s.rows;
  job.last_lanes = kLanes;
  job.y_pitch = s.y_pitch;
  job.accumulate = s.accumulate;
  job.epilogue = &s.epilogue;
  const int tiles = (s.rows + kTileRows - 1) / kTileRows;
  for (int64_t panel = s.panel; panel < s.panel_end; ++panel) {
    const int64_t column = (panel - s.panel) * kLanes;
    job.b = s.b + panel * s.b_rows * kLanes;
    job.a_offset = s.a_offset + column;
    job.column = column;
    for (int i = 0, row = 0; i < tiles; ++i) {
      const int rows = s.rows / tiles + (i < s.rows % tiles);
      job.a = s.a + row;
      job.y = s.y + row * s.y_pitch + column;
      job.row = row;
      table.of[rows - 1](job);
      row += rows;
    }
  }
  activate(s, (s.panel_end - s.panel) * kLanes);
}

}  // namespace

void fill(GroupedKernels& kernels);

void fill(GroupedKernels& kernels) {
  kernels.lanes = kLanes;
  kernels.supports = supports;
  kernels.strip = strip;
}

}  // namespace linnet::LINNET_SIMD_NS
