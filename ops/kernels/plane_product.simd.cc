#include "kernels/plane_product.h"

#include <utility>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The registers hold the sums of a tile, a row of a panel and a weight.
constexpr int kRows = kRegisters == 32 ? 8 : 4, kVectors = 3, kPixels = kVectors * kLanes;

/// One tile: some rows of w and a panel of x.
struct Tile {
  const float* w;
  const float* x;
  int64_t x_pitch;
  const float* ahead;  ///< the next panel, whose lines are prefetched; null: none
  const float* bias;
  float* y;
  int64_t lanes;  ///< pixels of the last vector
};

template <int R, int V>
void tile(const PlaneProduct& p, const Tile& t) {
  F32 sum[R][V];
  LINNET_UNROLL for (int r = 0; r < R; ++r) {
    const F32 bias(t.bias ? t.bias[r] : 0.0f);
    LINNET_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = bias;
  }
  const float *w = t.w, *x = t.x, *ahead = t.ahead;
  for (int64_t k = 0; k < p.depth; ++k, w += R, x += t.x_pitch) {
    F32 b[V];
    LINNET_UNROLL for (int v = 0; v < V; ++v) b[v] = load(x + v * kLanes);
    if (ahead) {
      LINNET_UNROLL for (int v = 0; v < V; ++v) __builtin_prefetch(ahead + v * kLanes);
      ahead += t.x_pitch;
    }
    LINNET_UNROLL for (int r = 0; r < R; ++r) {
      const F32 a(w[r]);
      LINNET_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = xsimd::fma(a, b[v], sum[r][v]);
    }
  }
  const F32 low(p.low), high(p.high);
  float* y = t.y;
  LINNET_UNROLL for (int r = 0; r < R; ++r, y += p.y_pitch) {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      const F32 value = at_most(high, at_least(low, sum[r][v]));
      if (v < V - 1 || t.lanes == kLanes) {
        store(y + v * kLanes, value);
      } else {
        store_part(y + v * kLanes, value, t.lanes);
      }
    }
  }
}

using TileFunction = void (*)(const PlaneProduct&, const Tile&);
struct TileTable {
  TileFunction of[kRows];  ///< indexed by the number of rows less one
};
template <int V, int... R>
constexpr TileTable make_table(std::integer_sequence<int, R...>) {
  return {{tile<R + 1, V>...}};
}
template <int V>
constexpr TileTable kTiles = make_table<V>(std::make_integer_sequence<int, kRows>());

/// Copies n pixels of each plane to rows of kPixels pixels.
[[gnu::always_inline]] inline void copy_panel(const PlaneProduct& p, const float* x, int64_t n, float* to) {
  if (n == kPixels) {
    for (int64_t k = 0; k < p.depth; ++k, x += p.x_pitch, to += kPixels) {
      LINNET_UNROLL for (int v = 0; v < kVectors; ++v) store(to + v * kLanes, load(x + v * kLanes));
    }
    return;
  }
  for (int64_t k = 0; k < p.depth; ++k, x += p.x_pitch, to += kPixels) {
    for (int64_t i = 0; i < kPixels; i += kLanes) {
      store(to + i, n - i >= kLanes ? load(x + i) : n > i ? load_part(x + i, n - i) : F32(0.0f));
    }
  }
}

void multiply(const PlaneProduct& p) {
  const PlaneTiles tiles(p.rows, kRows);
  Tile t{};
  for (int64_t pixel = 0; pixel < p.pixels; pixel += kPixels) {
    const int64_t n = p.pixels - pixel < kPixels ? p.pixels - pixel : kPixels;
    const int64_t vectors = (n + kLanes - 1) / kLanes;
    const bool copies = p.copies || n < kPixels;
    if (copies) copy_panel(p, p.x + pixel, n, p.panel);
    t.x = copies ? p.panel : p.x + pixel;
    t.x_pitch = copies ? kPixels : p.x_pitch;
    t.lanes = n - (vectors - 1) * kLanes;
    t.ahead = copies || p.pixels - pixel < 2 * kPixels ? nullptr : t.x + kPixels;
    const TileTable& functions = vectors == 3 ? kTiles<3> : vectors == 2 ? kTiles<2> : kTiles<1>;
    for (int64_t i = p.tile; i < p.tile_end; ++i, t.ahead = nullptr) {
      const int64_t row = tiles.begin(i), rows = tiles.begin(i + 1) - row;
      t.w = p.w + row * p.depth;
      t.bias = p.bias ? p.bias + row : nullptr;
      t.y = p.y + row * p.y_pitch + pixel;
      functions.of[rows - 1](p, t);
    }
  }
}

}  // namespace

void fill(PlaneProductKernels& kernels);
void fill(PlaneProductKernels& kernels) {
  kernels.tile_rows = kRows;
  kernels.panel_pixels = kPixels;
  kernels.multiply = multiply;
}

}  // namespace linnet::LINNET_SIMD_NS
