#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet {

/// The division of rows into tiles of nearly equal heights, at most `most` rows each.
struct PlaneTiles {
  // Always inlined: SIMD units must not emit shared copies.
  [[gnu::always_inline]] PlaneTiles(int64_t rows, int64_t most)
      : count((rows + most - 1) / most), height(count > 0 ? rows / count : 0), higher(count > 0 ? rows % count : 0) {}
  /// Returns the first row of a tile, which may be count.
  [[gnu::always_inline]] std::ptrdiff_t begin(int64_t tile) const {
    return tile * height + (tile < higher ? tile : higher);
  }

  int64_t count, height, higher;  ///< the first `higher` tiles have one row more
};

/// The rows of some tiles of the product y = min(high, max(low, w * x + bias)) of a matrix w [rows, depth] and planes x
/// [depth, pixels].
struct PlaneProduct {
  int64_t rows = 0, depth = 0, pixels = 0;
  int64_t tile = 0, tile_end = 0;  ///< of PlaneTiles(rows, tile_rows)
  const float* w = nullptr;        ///< for each tile [depth][rows of the tile]
  const float* bias = nullptr;     ///< [rows]; may be null
  const float* x = nullptr;
  int64_t x_pitch = 0;  ///< floats from one plane to the next
  float* y = nullptr;
  int64_t y_pitch = 0;
  float low = 0, high = 0;
  float* panel = nullptr;  ///< room for depth * panel_pixels floats
  bool copies = false;     ///< whether each panel of x is copied before it is multiplied
};

struct PlaneProductKernels {
  int tile_rows;     ///< rows of the highest tile
  int panel_pixels;  ///< pixels of a panel
  /// The sum over depth is taken in ascending order for every element.
  void (*multiply)(const PlaneProduct& product);
};

}  // namespace linnet
