#pragma once

#include <cstdint>

namespace linnet {

/// Sums over pairs of a row x [width] of float64 and a vector [width] of float32. The order of each sum is fixed, so
/// results are bit-identical on every instruction set.
struct DotKernels {
  static constexpr int kRows = 4, kVectors = 8;

  /// Packed vectors: panels of kVectors vectors, each [width, kVectors], the last one padded with zeros.
  struct Panels {
    const float* data = nullptr;
    int64_t vectors = 0, width = 0;
  };
  /// Writes the sum for row r < rows <= kRows of x and vector i to out[r * pitch + i].
  using Sums = void (*)(const double* x, int rows, const Panels& panels, double* out, int64_t pitch);

  /// Few vectors of float64, with which rows of float32 are multiplied: [count, width], where the width is divided into
  /// blocks of kVectors values. Of the last block, the values at its end are used, the others are zeros.
  struct FewVectors {
    const double* data = nullptr;
    int count = 0;  ///< at most kRows
    int64_t width = 0;
  };

  Sums products;   ///< sums of x[r * width + k] * vector i [k]
  Sums distances;  ///< sums of (x[r * width + k] - vector i [k])^2
  /// out[r * count + i] = the sum of x[r * width + k] * vector i [k], added in kVectors lanes.
  void (*few_products)(const float* x, int64_t rows, const FewVectors& vectors, double* out);
};

}  // namespace linnet
