#pragma once

#include <cstdint>

namespace linnet {

/// Sums over pairs of a row x [width] of float64 and a vector [width] of float32, each added up in order: the same bits
/// on every instruction set.
struct DotKernels {
  static constexpr int kRows = 4, kVectors = 8;

  /// What vectors are packed as: panels of kVectors, each [width, kVectors], the last one filled up with zeros.
  struct Panels {
    const float* data = nullptr;
    int64_t vectors = 0, width = 0;
  };
  /// Writes the sums of row r < rows <= kRows of x and vector i to out[r * pitch + i].
  using Sums = void (*)(const double* x, int rows, const Panels& panels, double* out, int64_t pitch);

  Sums products;   ///< of x[r * width + k] * vector i [k]
  Sums distances;  ///< of (x[r * width + k] - vector i [k])^2
};

}  // namespace linnet
