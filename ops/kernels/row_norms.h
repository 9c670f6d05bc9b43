#pragma once

#include <cstdint>

namespace linnet {

/// y[r][i] = x[r][i] / the norm of row r, for contiguous rows of n values, computed in float64. Rows of norm 0 are
/// unchanged. x and y do not overlap. Results are bit-identical on every instruction set.
struct RowNormKernels {
  using Rows = void (*)(const float* x, int64_t rows, int64_t n, float* y);

  Rows max;  ///< The norm is the largest value.
  Rows l1;   ///< The sum of the magnitudes.
  Rows l2;   ///< The Euclidean length.
};

}  // namespace linnet
