#include "kernels/grouped.h"

#include <utility>

#include "kernels/fold.h"
#include "kernels/tile_f32.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

bool supports(int64_t width) { return (width == 4 || width == 8) && width <= kLanes; }

/// The loop does not spread inputs over the lanes of their group. Each input is multiplied by weights of the `Width`
/// output channels in turn, and the sums change lanes once, at the end.
template <int MR, int Width>
void tile(const TileJob<GemmF32>& job) {
  F32 sum[MR][Width];
  LINNET_UNROLL for (int i = 0; i < MR; ++i) { LINNET_UNROLL for (int r = 0; r < Width; ++r) sum[i][r] = F32(0.0f); }
  const float* b = job.b;
  for (int64_t t = 0; t < job.taps; ++t, b += Width * kLanes) {
    F32 x[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) x[i] = load(job.a[t * job.a_pitch + i] + job.a_offset);
    LINNET_UNROLL for (int r = 0; r < Width; ++r) {
      const F32 w = load(b + r * kLanes);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][r] = xsimd::fma(x[i], w, sum[i][r]);
    }
  }
  F32 total[MR][1];
  begin<TileF32>(job, total);
  LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i][0] = total[i][0] + fold<Width>(sum[i]);
  finish<TileF32>(job, total);
}

// The registers hold the sums of a tile's rows, a row of A and a vector of B.
template <int Width>
constexpr int kTileRows = (kRegisters == 32 ? 24 : 12) / Width;

using TileFunction = void (*)(const TileJob<GemmF32>&);
struct TileTable {
  int highest;
  TileFunction of[kTileRows<4>];  ///< indexed by the number of rows less one
};

template <int Width, int... I>
constexpr TileTable make_table(std::integer_sequence<int, I...>) {
  return {kTileRows<Width>, {tile<I + 1, Width>...}};
}

template <int Width>
constexpr TileTable kTiles = make_table<Width>(std::make_integer_sequence<int, kTileRows<Width>>());

void strip(const GemmStrip<GemmF32>& s) {
  const TileTable& table = s.depth == 4 ? kTiles<4> : kTiles<8>;
  TileJob<GemmF32> job{};
  job.taps = s.taps;
  job.a_pitch = s.rows;
  job.last_lanes = kLanes;
  job.y_pitch = s.y_pitch;
  job.accumulate = s.accumulate;
  job.epilogue = &s.epilogue;
  const int tiles = (s.rows + table.highest - 1) / table.highest;
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
