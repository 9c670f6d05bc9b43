#pragma once

// Included by *.simd.cc only: strips of rows, computed tile by tile.
#include <type_traits>
#include <utility>

#include "kernels/gemm_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class Tile>
class Strip {
  using Type = typename Tile::Type;
  using Function = void (*)(const TileJob<Type>&);

  struct Functions {
    Function rows[kHighestTile];  ///< indexed by the number of rows less one; null: no such tile
  };

  static constexpr int highest_tile_of(int vectors) { return vectors <= Tile::kWidest ? highest_tile(vectors) : 0; }
  template <int W, int G, bool kHalf, int... I>
  static constexpr Functions functions(std::integer_sequence<int, I...>) {
    return {{function<I + 1, W, G, kHalf>()...}};
  }
  template <int MR, int W, int G, bool kHalf>
  static constexpr Function function() {
    constexpr int kMostRows = highest_tile_of(W);
    if constexpr (MR <= kMostRows && (G == 1 || (W > 1 && W * G <= widest_tile(MR)))) {
      return tile<Tile, MR, W, G, kHalf>;
    } else {
      return nullptr;
    }
  }
  template <int W, int G, bool kHalf = false>
  static constexpr Functions kTiles = functions<W, G, kHalf>(std::make_integer_sequence<int, kHighestTile>());

  /// Returns the functions for `width` vectors of each of `panels` panels.
  static const Functions& functions_of(int width, int panels, bool half) {
    static constexpr Functions kOne[] = {kTiles<1, 1>, kTiles<2, 1>, kTiles<3, 1>, kTiles<4, 1>};
    static constexpr Functions kTwo[] = {{}, kTiles<2, 2>, kTiles<3, 2>, kTiles<4, 2>};
    static constexpr Functions kFour = kTiles<2, 4>;
    if constexpr (Tile::kHalves) {
      static constexpr Functions kHalf[] = {{}, kTiles<2, 1, true>, kTiles<3, 1, true>};
      if (half && (width == 2 || width == 3)) return kHalf[width - 1];
    }
    return panels == 4 ? kFour : (panels == 2 ? kTwo : kOne)[width - 1];
  }

  /// Returns the number of panels of `run` that a tile of so many rows computes together.
  static int panels_at_once(const GemmPanels::Run& run, int rows) {
    int panels = 1;
    while (run.width > 1 && 2 * panels <= run.count && 2 * panels * run.width <= widest_tile(rows)) panels *= 2;
    return panels;
  }

  /// What the tiles of a panel prefetch: `bytes` bytes from `rows` on. Each tile prefetches its share, spread over its
  /// steps, so that few requests are in flight at a time. null: nothing.
  struct Ahead {
    const std::byte* rows = nullptr;
    int64_t bytes = 0, step_bytes = kLineBytes;
    int64_t part = 0, parts = 1;  ///< number of this strip, and the number of strips that prefetch these bytes
    int64_t share = 0, pitch = 0;

    /// Divides the bytes into a share for each of the strip's tiles.
    void divide(int64_t tiles, int64_t steps) {
      if (!rows) return;
      share = (bytes / (parts * tiles) + kLineBytes) / kLineBytes * kLineBytes;
      pitch = share < step_bytes * steps ? share / steps + 1 : step_bytes;
    }
    void ask(int64_t tile, int64_t tiles, TileJob<Type>& job) const {
      const int64_t first = (part * tiles + tile) * share;
      const bool asks = rows && first < bytes;
      job.next = asks ? rows + first : reinterpret_cast<const std::byte*>(job.b);
      job.next_pitch = asks ? pitch : 0;
    }
  };
  /// width, panels: those of the tiles that prefetch.
  static Ahead ahead_of(const GemmStrip<Type>& s, int64_t panel, int width, int panels) {
    const GemmPanels& p = *s.panels;
    const int64_t ahead = s.ahead_panel + panel - s.panel;
    const int64_t step_bytes = kLineBytes * asked_lines<Type>(width, panels, Tile::kLanes);
    if (s.ahead_panel < 0) {
      const int64_t share = s.next_bytes / (s.panel_end - s.panel);
      return {s.next ? s.next + share * (panel - s.panel) : nullptr, share * panels, step_bytes};
    }
    if (ahead >= p.count()) return {};
    const int64_t vector = p.lanes * Type::kUnit, ahead_width = p.run_from(ahead).width;
    const auto* rows = s.b + (p.vectors_before(ahead) * s.b_rows + s.ahead_row * ahead_width) * vector;
    const int64_t row_bytes = ahead_width * vector * int64_t{sizeof(typename Type::B)};
    return {reinterpret_cast<const std::byte*>(rows), s.taps * ceil_div(s.depth, Type::kUnit) * row_bytes, step_bytes,
            s.ahead_part, s.ahead_parts};
  }

  /// The division of the rows of a strip into tiles of nearly equal heights. The first `lower` tiles have `rows` rows,
  /// the others one more.
  struct Tiles {
    Tiles(int strip_rows, int highest_tile) : highest(highest_tile) {
      count = (strip_rows + highest - 1) / highest;
      rows = strip_rows / count;
      lower = count - strip_rows % count;
    }
    int highest, count, rows, lower;
  };

  /// Computes the rows of a strip for one panel, or for several that are multiplied together.
  static void run_tiles(const GemmStrip<Type>& s, Ahead ahead, const Functions& functions, const Tiles& tiles,
                        int64_t column, TileJob<Type>& job) {
    job.column = column;
    ahead.divide(tiles.count, job.taps * job.steps);
    int row = 0;
    for (int i = 0; i < tiles.count; ++i) {
      const int rows = tiles.rows + (i < tiles.lower ? 0 : 1);
      job.a = s.a + row;
      job.y = s.y + row * s.y_pitch + column;
      job.row = row;
      ahead.ask(i, tiles.count, job);
      functions.rows[rows - 1](job);
      row += rows;
    }
  }

 public:
  static void run(const GemmStrip<Type>& s) {
    const GemmPanels& p = *s.panels;
    const int64_t begin = p.first_column(s.panel), end = p.end_column(s.panel_end);
    const int64_t vector = p.lanes * Type::kUnit;
    TileJob<Type> job;
    job.taps = s.taps;
    job.steps = ceil_div(s.depth, Type::kUnit);
    job.a_pitch = s.rows;
    job.a_offset = s.a_offset;
    job.y_pitch = s.y_pitch;
    job.accumulate = s.accumulate;
    job.epilogue = &s.epilogue;
    job.bytes = s.bytes;
    int64_t column = begin;
    Tiles tiles(s.rows, s.rows);  // cached, since a division takes as long as a part of a tile
    for (int64_t panel = s.panel; panel < s.panel_end;) {
      GemmPanels::Run run = p.run_from(panel);
      if (run.count > s.panel_end - panel) run.count = s.panel_end - panel;
      int panels = panels_at_once(run, s.rows), width = run.width;
      while (panels > 1 && column + panels * width * p.lanes > end) panels /= 2;
      if (panels == 1 && column + (width - 1) * p.lanes >= end) width = int(ceil_div(end - column, p.lanes));
      const int64_t last = end - column - (panels * width - 1) * p.lanes;
      job.last_lanes = last < p.lanes ? last : p.lanes;
      job.b_pitch = run.width * vector;
      job.panel_pitch = s.b_rows * job.b_pitch;
      job.b = s.b + column * Type::kUnit * s.b_rows + s.b_row * job.b_pitch;
      const bool half = Tile::kHalves && panels == 1 && job.last_lanes * 2 <= p.lanes;
      const int highest = panels > 1 ? s.rows : highest_tile(width);
      if (highest != tiles.highest) tiles = Tiles(s.rows, highest);
      run_tiles(s, ahead_of(s, panel, width, panels), functions_of(width, panels, half), tiles, column - begin, job);
      panel += panels;
      column += panels * run.width * p.lanes;
    }
    activate(s, end - begin);
  }
};

// Hides a vector's value from the compiler, which would otherwise compute products of constants only once.
#if defined(__aarch64__)
#define LINNET_VECTOR "w"
#elif defined(__AVX512F__)
#define LINNET_VECTOR "v"
#else
#define LINNET_VECTOR "x"
#endif
template <class Vector>
[[gnu::always_inline]] inline void hide(Vector& x) {
  if constexpr (requires { x.data; }) {
    asm volatile("" : "+" LINNET_VECTOR(x.data));
  } else {
    asm volatile("" : "+" LINNET_VECTOR(x));
  }
}
#undef LINNET_VECTOR

template <class Tile>
int64_t saturate(int64_t rounds) {
  using Type = typename Tile::Type;
  constexpr int kSums = kRegisters == 32 ? 24 : 10;
  const typename Type::A a[Type::kUnit] = {};
  const typename Type::B b[Type::kUnit * Tile::kLanes] = {};
  auto x = Tile::spread(a);
  auto y = Tile::load_b(b, 0);
  hide(y);
  typename Tile::Vector sum[kSums];
  LINNET_UNROLL for (int i = 0; i < kSums; ++i) sum[i] = Tile::zero();
  for (int64_t round = 0; round < rounds; ++round) {
    LINNET_UNROLL for (int i = 0; i < kSums; ++i) {
      hide(x);
      sum[i] = Tile::multiply_add(x, y, sum[i]);
    }
  }
  LINNET_UNROLL for (int i = 0; i < kSums; ++i) hide(sum[i]);
  return rounds * kSums * Tile::kLanes * Type::kUnit;
}

template <class Tile>
void fill_gemm(GemmKernels<typename Tile::Type>& kernels) {
  kernels.lanes = Tile::kLanes;
  for (int vectors = 1; vectors <= kWidestPanel; ++vectors) {
    kernels.tile_rows[vectors - 1] = vectors <= Tile::kWidest ? highest_tile(vectors) : 0;
    kernels.unroll[vectors - 1] = unrolled_steps(vectors);
  }
  kernels.strip_rows = kStripRows;
  kernels.held_rows = kHeldRows;
  kernels.unit = Tile::Type::kUnit;
  kernels.value_bytes = int(sizeof(typename Tile::Type::B));
  kernels.vector_bytes = Tile::kLanes * int(sizeof(typename Tile::Type::Sum));
  kernels.exact = std::is_integral_v<typename Tile::Type::Sum>;
  kernels.stores_bytes = Tile::kStoresBytes;
  kernels.strip = Strip<Tile>::run;
  kernels.saturate = saturate<Tile>;
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
