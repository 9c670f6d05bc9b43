#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace linnet {

/// The product of a strip of up to GemmKernels::tile_rows rows of A and any number of packed columns of B:
/// y[i][j] = epilogue(sum over t < taps, k < depth of a[t * rows + i][k] * B[t][k][j]).
/// A is given by pointers, so that one kernel serves matrices, convolution windows and sampled rows.
struct GemmStrip {
  int rows = 0;  ///< in [1, tile_rows]
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t depth = 0;
  const float* const* a = nullptr;  ///< taps * rows pointers to depth contiguous floats each
  int64_t a_offset = 0;             ///< floats added to each of them
  const float* b = nullptr;         ///< panels [tap][k][panel_columns]; columns beyond the last are zero
  int64_t panel_pitch = 0;          ///< floats from one panel to the next, a multiple of panel_columns
  const float* ahead = nullptr;     ///< of each panel: lines to ask memory for, one per (t, k); may be null
  float* y = nullptr;
  int64_t y_pitch = 0;      ///< floats from one row of y to the next
  bool accumulate = false;  ///< the sums are added to the values of y
  Epilogue epilogue{};      ///< bias and residual begin at this strip's first row and column
};

constexpr int64_t kLineFloats = 16;  ///< of a line of the cache

/// What the strip of a row tile asks for of the `depth` rows of B at `next`, which is multiplied after this part of B:
/// one tile after the other takes its share, so that memory answers while they multiply. next may be null.
inline const float* ahead_of(const float* next, int64_t tile, int64_t depth, int panel_columns) {
  return next && tile * kLineFloats < panel_columns ? next + tile * kLineFloats * depth : nullptr;
}

/// float32 matrix products. The sum over (t, k) is taken in ascending order for every element, whatever the position
/// and the number of rows: results do not depend on how the work is split.
struct GemmKernels {
  int tile_rows;
  int panel_columns;
  void (*strip)(const GemmStrip& strip);
};

}  // namespace linnet
