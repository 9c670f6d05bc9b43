#pragma once

#include <cstdint>

namespace linnet {

/// Sums over pairs of a row x [width] of float64 and a vector [width] of float32. Each sum is added in order, so
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

  Sums products;   ///< sums of x[r * width + k] * vector i [k]
  Sums distances;  ///< sums of (x[r * width + k] - vector i [k])^2
};

}  // namespace linnet
