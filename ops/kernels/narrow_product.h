#pragma once

#include <cstdint>

namespace linnet {

/// Products by matrices whose rows fit a vector. B is read in place.
struct NarrowProductKernels {
  int most_columns;
  /// y[r * columns + j] = the sum of a[r * depth + k] * b[k * columns + j], added in ascending order, for r in [0,
  /// rows), j in [0, columns), columns <= most_columns.
  void (*multiply)(const float* a, const float* b, float* y, int64_t rows, int64_t depth, int64_t columns);
};

}  // namespace linnet
