#include "kernels/gemm.h"

#include <utility>

#include "kernels/gemm_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// Rows of A whose addresses general registers hold beside those of B and of what comes next. Left to itself, GCC moves
// the others through vector registers, in the way of the multiplications; from memory they cost nothing.
#if defined(__x86_64__)
constexpr int kHeldRows = 9;
#else
constexpr int kHeldRows = kTileRows;
#endif

// How far before its use a line of B is asked for into the first-level cache, by tiles of few rows, which come to the
// next one soon, and where B comes from memory.
constexpr int64_t kNearFloats = 256;

/// Vectors of columns that a tile of so many rows covers: few rows take several panels at once, to have enough
/// independent sums in flight.
constexpr int widest(int rows) {
  if (rows == 1 || (kRegisters == 32 && rows <= 3)) return 8;
  return rows <= 3 || (kRegisters == 32 && rows <= 6) ? 4 : 2;
}

/// The address of vector v of the row of B that panel 0 has at b.
template <int NV>
const float* vector_of(const float* b, int64_t panel_pitch, int v) {
  return b + (NV > kPanelVectors ? v / kPanelVectors * panel_pitch : 0) + v % kPanelVectors * kLanes;
}

/// kHalf: of the last vector only the lower half counts. kAhead: asks for lines at s.ahead.
template <int MR, int NV, bool kHalf, bool kAhead>
[[gnu::always_inline]] inline void multiply(const GemmStrip& s, F32 (&sum)[MR][NV]) {
  constexpr int kHeld = kAhead && kHeldRows < MR ? kHeldRows : MR;
  constexpr bool kAsksNear = NV == kPanelVectors && (MR <= 8 || kAhead);
  const float* b = s.b;
  const float* ahead = s.ahead;
  for (int64_t t = 0; t < s.taps; ++t) {
    const float* a[MR];
    const float* volatile in_memory[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) a[i] = s.a[t * MR + i] + s.a_offset;
    LINNET_UNROLL for (int i = kHeld; i < MR; ++i) in_memory[i] = a[i];
    for (int64_t k = 0; k < s.depth; ++k, b += kPanelColumns) {
      if (kAhead) {
        __builtin_prefetch(ahead, 0, 2);
        ahead += kLineFloats;
      }
      if (kAsksNear) {
        LINNET_UNROLL for (int v = 0; v < kPanelColumns; v += int(kLineFloats)) __builtin_prefetch(b + kNearFloats + v);
      }
      F32 row[NV];
      LINNET_UNROLL for (int v = 0; v < NV; ++v) row[v] = F32::load_unaligned(vector_of<NV>(b, s.panel_pitch, v));
      LINNET_UNROLL for (int i = 0; i < MR; ++i) {
        const float* from = a[i];
        if (i >= kHeld) from = in_memory[i];
        const F32 x(from[k]);
        LINNET_UNROLL for (int v = 0; v < NV; ++v) {
          const bool half = kHalf && v == NV - 1;
          sum[i][v] = half ? fma_half(x, row[v], sum[i][v]) : xsimd::fma(x, row[v], sum[i][v]);
        }
      }
    }
  }
}

/// A whole tile of MR rows and NV vectors.
template <int MR, int NV, bool kHalf, bool kAhead = false>
void tile(const GemmStrip& s) {
  F32 sum[MR][NV];
  begin(s, sum);
  multiply<MR, NV, kHalf, kAhead>(s, sum);
  finish(s, sum);
}

template <int MR, int NV>
constexpr TileFunction tile_or_null() {
  if constexpr (NV <= widest(MR)) return tile<MR, NV, false>;
  return nullptr;
}

struct TileRow {
  TileFunction of[4];    // 1, 2, 4, 8 vectors
  TileFunction half[2];  // half a vector, one and a half
  TileFunction ahead;    // 2 vectors, asking for what comes next
};

struct TileTable {
  TileRow rows[kTileRows];
};

template <int... I>
constexpr TileTable make_table(std::integer_sequence<int, I...>) {
  return {{{{tile_or_null<I + 1, 1>(), tile_or_null<I + 1, 2>(), tile_or_null<I + 1, 4>(), tile_or_null<I + 1, 8>()},
            {tile<I + 1, 1, kHalves>, tile<I + 1, 2, kHalves>},
            tile<I + 1, 2, false, true>}...}};
}

constexpr TileTable kTiles = make_table(std::make_integer_sequence<int, kTileRows>());

void strip(const GemmStrip& s) {
  const TileRow& tiles = kTiles.rows[s.rows - 1];
  GemmStrip part = s;
  for (int64_t done = 0; done < s.columns; done += part.columns) {
    const int64_t left = s.columns - done;
    int vectors = widest(s.rows);
    int index = vectors == 8 ? 3 : vectors == 4 ? 2 : 1;
    for (; index > 1 && left < vectors * kLanes; --index) vectors /= 2;
    if (left <= kLanes) vectors = 1, index = 0;
    part.columns = left < vectors * kLanes ? left : vectors * kLanes;
    part.b = s.b + done / kPanelColumns * s.panel_pitch;
    part.ahead = s.ahead ? s.ahead + done / kPanelColumns * s.panel_pitch : nullptr;
    part.y = s.y + done;
    part.epilogue = s.epilogue.at(0, done);
    if (part.columns < vectors * kLanes) {
      const bool half = index < 2 && (vectors * kLanes - part.columns) * 2 >= kLanes;
      buffered_tile(part, (half ? tiles.half : tiles.of)[index], vectors);
    } else {
      (part.ahead && vectors == kPanelVectors ? tiles.ahead : tiles.of[index])(part);
    }
  }
  activate(s);
}

}  // namespace

void fill(GemmKernels& kernels);

void fill(GemmKernels& kernels) {
  kernels.tile_rows = kTileRows;
  kernels.panel_columns = kPanelColumns;
  kernels.strip = strip;
}

}  // namespace linnet::LINNET_SIMD_NS
